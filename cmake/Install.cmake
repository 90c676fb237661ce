# Install.cmake - the installed tree. Its names are fixed, because scripts of users rely on them.
#
#   bin/gpumemprof                               the tool
#   lib/libgpumemprof.so, lib/libgpumemprof.a    the runtime
#   lib/libgpumemprof-read.so, .a                captures for other programs (include/gpumemprof/read.h)
#   lib/pkgconfig/gpumemprof-read.pc, -static.pc the same for pkg-config, shared and static
#   lib/gpumemprof/gpumemprof.so                 the plugin, for every clang that has a module
#   lib/gpumemprof/llvm-N/gpumemprof.so          the module for clang N
#   lib/gpumemprof/llvm-N/gpumemprof-pass.so     its passes, for opt
#   lib/gpumemprof/sim/libcudart.so.13           the simulated CUDA runtime
#   include/gpumemprof/                          headers for programs
#   lib/cmake/gpumemprof/                        find_package(gpumemprof)
#   lib/python3/dist-packages/gpumemprof/        the Python package
include(CMakePackageConfigHelpers)

foreach(library gpumemprof_runtime gpumemprof_runtime_static gpumemprof_read gpumemprof_read_static)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
  endif()
endforeach()
if(TARGET gpumemprof_tool)
  install(TARGETS gpumemprof_tool RUNTIME DESTINATION bin)
endif()

if(TARGET gpumemprof_read)
  install(FILES ${PROJECT_BINARY_DIR}/package/gpumemprof-read.pc
                ${PROJECT_BINARY_DIR}/package/gpumemprof-read-static.pc
          DESTINATION lib/pkgconfig)
endif()

foreach(major IN LISTS GPUMEMPROF_LLVM_SUPPORTED)
  if(TARGET gpumemprof_plugin_${major})
    install(FILES $<TARGET_FILE:gpumemprof_plugin_${major}>
                  $<TARGET_FILE:gpumemprof_pass_${major}>
            DESTINATION lib/gpumemprof/llvm-${major}
            PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                        WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()

if(TARGET gpumemprof_stub)
  install(TARGETS gpumemprof_stub LIBRARY DESTINATION lib/gpumemprof)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/gpumemprof DESTINATION include)

list(JOIN GPUMEMPROF_LLVM_SUPPORTED " " GPUMEMPROF_PACKAGE_MAJORS)
configure_file(${PROJECT_SOURCE_DIR}/cmake/gpumemprof-config.cmake.in
               ${PROJECT_BINARY_DIR}/package/gpumemprof-config.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/gpumemprof-config-version.cmake
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/gpumemprof-config.cmake
              ${PROJECT_BINARY_DIR}/package/gpumemprof-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/GpumemprofInstrument.cmake
        DESTINATION lib/cmake/gpumemprof)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/gpumemprof)

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
