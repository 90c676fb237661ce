# Install.cmake - the installed tree. Its names are fixed, because scripts of users rely on them; lib/ is CMAKE_INSTALL_LIBDIR.
# Components: runtime, plugin, tool, reader, simulator, development, python. A package has all of them (Packages.cmake).
#
#   bin/gpumemprof                               the tool
#   lib/libgpumemprof.so, lib/libgpumemprof.a    the runtime; the first is a link to libgpumemprof.so.ABI, by which programs load it
#   lib/libgpumemprof-read.so, .a                captures for other programs (include/gpumemprof/read.h)
#   lib/pkgconfig/gpumemprof.pc                  the runtime, and the path of the plugin, for pkg-config
#   lib/pkgconfig/gpumemprof-read.pc, -static.pc the reader, shared and static
#   lib/gpumemprof.so                            a link to the plugin, so that -fplugin=gpumemprof.so finds it
#   lib/gpumemprof/gpumemprof.so                 the plugin, for every clang that has a module
#   lib/gpumemprof/llvm-N/gpumemprof.so          the module for clang N
#   lib/gpumemprof/llvm-N/gpumemprof-pass.so     its passes, for opt
#   lib/gpumemprof/sim/libcudart.so.13           the simulated CUDA runtime
#   include/gpumemprof/                          headers for programs
#   lib/cmake/gpumemprof/                        find_package(gpumemprof), and gpumemprof-everything.cmake
#   lib/python3/dist-packages/gpumemprof/        the Python package, in lib/ also where libraries are in lib64/
#   share/gpumemprof/examples/                   the programs of the README and the guides, and the adaptors for RMM and Umpire
include(CMakePackageConfigHelpers)

if(TARGET gpumemprof_runtime)
  # Users name the link in LD_PRELOAD, NVTX_INJECTION64_PATH and so on, so it is no part of development.
  install(TARGETS gpumemprof_runtime
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endif()
if(TARGET gpumemprof_read)
  install(TARGETS gpumemprof_read
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT reader)
endif()
foreach(library gpumemprof_runtime_static gpumemprof_read_static)
  if(TARGET ${library})
    install(TARGETS ${library} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  endif()
endforeach()
if(TARGET gpumemprof_tool)
  install(TARGETS gpumemprof_tool RUNTIME DESTINATION bin COMPONENT tool)
endif()

foreach(major IN LISTS GPUMEMPROF_LLVM_SUPPORTED)
  if(TARGET gpumemprof_plugin_${major})
    install(FILES $<TARGET_FILE:gpumemprof_plugin_${major}>
                  $<TARGET_FILE:gpumemprof_pass_${major}>
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/gpumemprof/llvm-${major} COMPONENT plugin
            PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                        WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()

if(TARGET gpumemprof_stub)
  install(TARGETS gpumemprof_stub LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gpumemprof COMPONENT plugin)
  file(CREATE_LINK gpumemprof/gpumemprof.so ${PROJECT_BINARY_DIR}/package/gpumemprof.so SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/package/gpumemprof.so DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT plugin)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/gpumemprof DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

list(JOIN GPUMEMPROF_LLVM_SUPPORTED " " GPUMEMPROF_PACKAGE_MAJORS)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gpumemprof)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/gpumemprof-config.cmake.in
  ${PROJECT_BINARY_DIR}/package/gpumemprof-config.cmake INSTALL_DESTINATION ${config_folder}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/gpumemprof-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/gpumemprof-config.cmake
              ${PROJECT_BINARY_DIR}/package/gpumemprof-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/GpumemprofInstrument.cmake
              ${PROJECT_SOURCE_DIR}/cmake/gpumemprof-everything.cmake
        DESTINATION ${config_folder} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/gpumemprof COMPONENT development
        PATTERN "__pycache__" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)

# The Python package, beside the libraries that it looks for (python/gpumemprof/_libraries.py). Debian's python3 finds it by itself
# in /usr; elsewhere PYTHONPATH=PREFIX/lib/python3/dist-packages. Its metadata tell pytest where the plugin is.
set(packages lib/python3/dist-packages)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/gpumemprof DESTINATION ${packages} COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "_version.py" EXCLUDE PATTERN "__pycache__" EXCLUDE)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/python/_version.py
     CONTENT "\"\"\"The version.\"\"\"\nversion: str = \"@PROJECT_VERSION@\"\n" @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/python/_version.py DESTINATION ${packages}/gpumemprof COMPONENT python)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/python/METADATA
     CONTENT "Metadata-Version: 2.1\nName: gpumemprof\nVersion: @PROJECT_VERSION@\n" @ONLY)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/python/entry_points.txt
     CONTENT "[pytest11]\ngpumemprof.pytest_plugin = gpumemprof.pytest_plugin\n" @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/python/METADATA ${PROJECT_BINARY_DIR}/package/python/entry_points.txt
        DESTINATION ${packages}/gpumemprof-${PROJECT_VERSION}.dist-info COMPONENT python)
