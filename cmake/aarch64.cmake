# aarch64.cmake - a toolchain for AArch64 on another processor: clang with the packages that scripts/deps.sh names, and
# qemu-aarch64 to run what it makes (preset `aarch64`).
#
# Only the runtime, the simulated CUDA and their tests are built. The plugin compiles for every processor that it knows, and
# the tool reads captures of all of them, so those of a build for this machine serve: GPUMEMPROF_HOST_BUILD (variable of
# CMake or of the environment; default: build/).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER clang-22)
set(CMAKE_CXX_COMPILER clang++-22)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(GPUMEMPROF_TARGET_FLAGS --target=aarch64-linux-gnu)
# The loader and the libraries where they are on this machine: then a capture has paths that the tool can read. DT_RPATH, unlike
# DT_RUNPATH, also serves the libraries that those libraries need.
set(GPUMEMPROF_TARGET_ROOT /usr/aarch64-linux-gnu)
set(GPUMEMPROF_TARGET_LINK -Wl,--dynamic-linker=${GPUMEMPROF_TARGET_ROOT}/lib/ld-linux-aarch64.so.1
  -Wl,--disable-new-dtags -Wl,-rpath,${GPUMEMPROF_TARGET_ROOT}/lib)
string(JOIN " " CMAKE_EXE_LINKER_FLAGS_INIT ${GPUMEMPROF_TARGET_LINK})
find_program(GPUMEMPROF_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
if(GPUMEMPROF_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${GPUMEMPROF_QEMU} -L ${GPUMEMPROF_TARGET_ROOT})
endif()

if(NOT GPUMEMPROF_HOST_BUILD)
  set(GPUMEMPROF_HOST_BUILD $ENV{GPUMEMPROF_HOST_BUILD})
endif()
if(NOT GPUMEMPROF_HOST_BUILD)
  get_filename_component(GPUMEMPROF_HOST_BUILD ${CMAKE_CURRENT_LIST_DIR}/../build ABSOLUTE)
endif()
