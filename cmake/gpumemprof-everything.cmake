# gpumemprof-everything.cmake - compiles a whole project with the plugin, and no file of it is touched:
#
#   cmake -DCMAKE_PROJECT_INCLUDE=PREFIX/lib/cmake/gpumemprof/gpumemprof-everything.cmake [-DGPUMEMPROF_MODE=MODE]
#         [-DGPUMEMPROF_FILTER=FILE] ...
#
# CMake includes it after each project(). Every C, C++ and CUDA file of the project and its subfolders gets the plugin, and
# every program and shared library is linked with the runtime. These are options of folders and not of targets, so nothing
# of them is in what the project installs or exports. One message names the compilers for which the plugin has no module.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/gpumemprof-config.cmake")

function(_gpumemprof_everything_check)
  set(languages "")
  foreach(language C CXX CUDA) # those of another folder's project() are not known here
    if(CMAKE_${language}_COMPILER_ID)
      list(APPEND languages ${language})
    endif()
  endforeach()
  _gpumemprof_require("gpumemprof-everything.cmake" ${languages})
endfunction()

if(NOT _gpumemprof_everything) # the folders below have the options of this one
  set(_gpumemprof_everything TRUE)
  set(_gpumemprof_file "gpumemprof-everything.cmake: ")
  foreach(_gpumemprof_setting MODE FILTER) # empty: as if it were not there
    if(GPUMEMPROF_${_gpumemprof_setting})
      set(_gpumemprof_${_gpumemprof_setting} "${GPUMEMPROF_${_gpumemprof_setting}}")
    endif()
  endforeach()
  _gpumemprof_arguments(_gpumemprof_chosen _gpumemprof_filter "${_gpumemprof_file}GPUMEMPROF_MODE=" _gpumemprof_MODE
    "${_gpumemprof_file}" _gpumemprof_FILTER "${CMAKE_SOURCE_DIR}")
  foreach(_gpumemprof_language C CXX CUDA)
    _gpumemprof_options(_gpumemprof_passed ${_gpumemprof_language} ${_gpumemprof_chosen})
    add_compile_options(${_gpumemprof_passed})
  endforeach()
  add_link_options("LINKER:--push-state,--no-as-needed" "${_gpumemprof_lib}/libgpumemprof.so" "LINKER:--pop-state"
    "LINKER:-rpath,${_gpumemprof_lib}")
  include_directories("${_gpumemprof_include}")
endif()
cmake_language(DEFER CALL _gpumemprof_everything_check) # after an enable_language of this folder
cmake_policy(POP)
