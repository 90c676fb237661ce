# Emulated.cmake - the tests of a build for another processor (preset `aarch64`): programs for it run under an emulator.
#
# They are the unit tests with fewer events, the tests of the plugin for the newest LLVM that are not of one processor, and those
# end-to-end tests that depend on the processor most. What an emulator cannot show is in docs/decisions/99-aarch64.md.
set(host ${GPUMEMPROF_HOST_BUILD})
set(newest ${GPUMEMPROF_LLVM_NEWEST})
set(from_host bin/gpumemprof lib/gpumemprof/gpumemprof.so lib/gpumemprof/llvm-${newest}/gpumemprof.so lib/gpumemprof/llvm-${newest}/gpumemprof-pass.so)
foreach(file IN LISTS from_host)
  if(NOT EXISTS ${host}/${file})
    message(FATAL_ERROR "gpumemprof: there is no ${host}/${file}: the tests of another processor use the plugin and the tool of "
      "a build for this machine, so make that first, or name it by -DGPUMEMPROF_HOST_BUILD=DIR")
  endif()
  cmake_path(GET file PARENT_PATH folder)
  install(PROGRAMS ${host}/${file} DESTINATION ${folder})
endforeach()
add_executable(gpumemprof_tool IMPORTED GLOBAL)
set_target_properties(gpumemprof_tool PROPERTIES IMPORTED_LOCATION ${host}/bin/gpumemprof)
set(GPUMEMPROF_LLVM_FOUND ${newest})

string(JOIN " " GPUMEMPROF_EMULATOR ${CMAKE_CROSSCOMPILING_EMULATOR})
string(JOIN " " GPUMEMPROF_TARGET_LINK ${GPUMEMPROF_TARGET_LINK})
if(NOT GPUMEMPROF_EMULATOR)
  foreach(name unit plugin e2e)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: needs qemu-aarch64, which the package qemu-user has")
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
  endforeach()
  return()
endif()
foreach(part unit plugin e2e)
  add_subdirectory(${part})
endforeach()
