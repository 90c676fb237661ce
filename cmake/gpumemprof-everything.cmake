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
  set(_gpumemprof_arguments "-fplugin=${_gpumemprof_lib}/gpumemprof/gpumemprof.so")
  if(GPUMEMPROF_MODE)
    if(NOT GPUMEMPROF_MODE MATCHES "^(all|annotated|every)$")
      message(FATAL_ERROR "gpumemprof-everything.cmake: GPUMEMPROF_MODE=${GPUMEMPROF_MODE} is not all, annotated or every")
    endif()
    list(APPEND _gpumemprof_arguments -fplugin-arg-gpumemprof-mode=${GPUMEMPROF_MODE})
  endif()
  if(GPUMEMPROF_FILTER)
    file(REAL_PATH "${GPUMEMPROF_FILTER}" _gpumemprof_filter BASE_DIRECTORY "${CMAKE_SOURCE_DIR}")
    if(NOT EXISTS "${_gpumemprof_filter}")
      message(FATAL_ERROR "gpumemprof-everything.cmake: there is no filter file ${_gpumemprof_filter}")
    endif()
    list(APPEND _gpumemprof_arguments "-fplugin-arg-gpumemprof-filter=${_gpumemprof_filter}")
  endif()
  # A language may be enabled later, so its compiler is not known here.
  foreach(_gpumemprof_argument IN LISTS _gpumemprof_arguments)
    add_compile_options("$<$<COMPILE_LANG_AND_ID:C,Clang>:${_gpumemprof_argument}>"
      "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:${_gpumemprof_argument}>" "$<$<COMPILE_LANG_AND_ID:CUDA,Clang>:${_gpumemprof_argument}>"
      "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:SHELL:-Xcompiler ${_gpumemprof_argument}>")
  endforeach()
  add_link_options("LINKER:--push-state,--no-as-needed" "${_gpumemprof_lib}/libgpumemprof.so" "LINKER:--pop-state"
    "LINKER:-rpath,${_gpumemprof_lib}")
  include_directories("${_gpumemprof_include}")
endif()
cmake_language(DEFER CALL _gpumemprof_everything_check) # after an enable_language of this folder
cmake_policy(POP)
