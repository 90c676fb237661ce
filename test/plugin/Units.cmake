# -DGPUMEMPROF_FEW_UNITS=ON (preset `ci`): the plugins are compiled in a few units of many files, as LLVM's headers take most of a
# file's time. Of the newest LLVM's plugin one in four files is compiled by itself, as users build it, other ones after each commit, so that a
# file which forgets an include is found; lint.plugin_as_one_unit finds a name that two files have,
# and lint.rooms.plugin compares all includes, and what those files link, with the table of rooms (it counts as skipped then). `.ci/run --full` compiles all
# of them file by file.
option(GPUMEMPROF_FEW_UNITS "The plugins are compiled in a few units: for tests" OFF)
if(NOT GPUMEMPROF_FEW_UNITS OR "$ENV{GPUMEMPROF_TEST_REPEATS}" STREQUAL "full")
  return()
endif()
# A static name of one file may be a local one in another. It has to come after gpumemprof_warnings.
add_library(gpumemprof_names_of_one_unit INTERFACE)
target_compile_options(gpumemprof_names_of_one_unit INTERFACE -Wno-shadow)

# The commit chooses (test/repeats.py); a folder that is no checkout has the first ones.
execute_process(COMMAND git rev-parse --short=7 HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
string(REGEX MATCH "^.......|^$" commit "${commit}")
math(EXPR turn "0x0${commit} % 4")

foreach(version IN LISTS GPUMEMPROF_LLVM_FOUND)
  set(fewer -g0) # nobody debugs them here, and this is a quarter of their compilation
  if(NOT version EQUAL GPUMEMPROF_LLVM_NEWEST) # fewer tests use it (CMakeLists.txt), so to optimise it takes longer than it saves
    set(fewer -O0 -g0)
  endif()
  foreach(target gpumemprof_pass_objects_${version} gpumemprof_plugin_${version})
    target_compile_options(${target} PRIVATE ${fewer})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    target_link_libraries(${target} PRIVATE gpumemprof_names_of_one_unit)
    get_target_property(files ${target} SOURCES)
    # HostCheck.cpp looks at the compiler's symbols without clang's headers (Sanitized.cmake).
    set(number 0)
    foreach(file IN LISTS files)
      math(EXPR number "${number} + 1")
      math(EXPR its_turn "${number} % 4")
      if(file MATCHES "HostCheck.cpp$" OR (version EQUAL GPUMEMPROF_LLVM_NEWEST AND its_turn EQUAL turn))
        set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endforeach()
  endforeach()
endforeach()
