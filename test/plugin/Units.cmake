# -DGPUMEMPROF_FEW_UNITS=ON (preset `ci`): the plugins for all LLVM versions but the newest are compiled in a few units of many
# files, as LLVM's headers take most of a file's time. The newest is compiled file by file, as users build it, so that a file
# which forgets an include is found; lint.plugin_as_one_unit finds a name that two files have. `.ci/run --full` compiles all of
# them file by file.
option(GPUMEMPROF_FEW_UNITS "The plugins for older LLVM versions are compiled in a few units: for tests" OFF)
if(NOT GPUMEMPROF_FEW_UNITS OR "$ENV{GPUMEMPROF_TEST_REPEATS}" STREQUAL "full")
  return()
endif()
# A static name of one file may be a local one in another. It has to come after gpumemprof_warnings.
add_library(gpumemprof_names_of_one_unit INTERFACE)
target_compile_options(gpumemprof_names_of_one_unit INTERFACE -Wno-shadow)
foreach(version IN LISTS GPUMEMPROF_LLVM_FOUND)
  if(version EQUAL GPUMEMPROF_LLVM_NEWEST)
    continue()
  endif()
  set_target_properties(gpumemprof_pass_objects_${version} gpumemprof_plugin_${version} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  foreach(target gpumemprof_pass_objects_${version} gpumemprof_plugin_${version})
    target_link_libraries(${target} PRIVATE gpumemprof_names_of_one_unit)
  endforeach()
  # It looks at the compiler's symbols without clang's headers (Sanitized.cmake).
  set_source_files_properties(${PROJECT_SOURCE_DIR}/plugin/frontend/HostCheck.cpp
    TARGET_DIRECTORY gpumemprof_plugin_${version} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endforeach()
