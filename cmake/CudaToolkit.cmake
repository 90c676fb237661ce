# CudaToolkit.cmake - the one place that looks for a CUDA toolkit.
#
# Sets GPUMEMPROF_CUDA_HOME to its folder, which has bin/nvcc and include/cuda_runtime.h, or to "".
# No part of gpumemprof needs a toolkit to be built; tests that compile device code do.
#   -DGPUMEMPROF_CUDA_TOOLKIT=AUTO  the first of CUDA_HOME, CUDA_PATH and /usr/local/cuda (default)
#   -DGPUMEMPROF_CUDA_TOOLKIT=OFF   none, even if one is installed
#   -DGPUMEMPROF_CUDA_TOOLKIT=DIR   the toolkit in this folder
set(GPUMEMPROF_CUDA_TOOLKIT AUTO CACHE STRING "CUDA toolkit for the tests: AUTO, OFF or a folder")

set(GPUMEMPROF_CUDA_HOME "")
if(GPUMEMPROF_CUDA_TOOLKIT STREQUAL "AUTO")
  set(candidates $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)
elseif(GPUMEMPROF_CUDA_TOOLKIT)
  set(candidates ${GPUMEMPROF_CUDA_TOOLKIT})
else()
  set(candidates "")
endif()
foreach(dir IN LISTS candidates)
  if(EXISTS ${dir}/bin/nvcc AND EXISTS ${dir}/include/cuda_runtime.h)
    file(REAL_PATH ${dir} GPUMEMPROF_CUDA_HOME)
    break()
  endif()
endforeach()
if(NOT GPUMEMPROF_CUDA_HOME AND NOT GPUMEMPROF_CUDA_TOOLKIT MATCHES "^(AUTO|OFF|0|NO|FALSE)$")
  message(FATAL_ERROR "GPUMEMPROF_CUDA_TOOLKIT=${GPUMEMPROF_CUDA_TOOLKIT} holds no bin/nvcc and "
                      "include/cuda_runtime.h; name the toolkit's folder, or AUTO, or OFF")
endif()
if(GPUMEMPROF_CUDA_HOME)
  message(STATUS "CUDA toolkit: ${GPUMEMPROF_CUDA_HOME}")
else()
  message(STATUS "CUDA toolkit: none (tests that compile device code are skipped)")
endif()
