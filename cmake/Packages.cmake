# Packages.cmake - `cpack -G DEB`, RPM and TGZ make packages of a build; scripts/release.sh makes and checks all of them.
#
# The archive needs no installation, and can be unpacked anywhere. The stub of the plugin has the hashes of the modules in it,
# so nothing is stripped here: a build of type Release has no debug information.
set(CPACK_PACKAGE_NAME gpumemprof)
set(CPACK_PACKAGE_VENDOR gpumemprof)
set(CPACK_PACKAGE_CONTACT "the gpumemprof developers <gpumemprof@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "A plugin for clang and a runtime record, for each source line and call path of a
CUDA program, the GPU memory that it holds; the command gpumemprof shows it.
Programs that were not rebuilt are recorded by `gpumemprof run`.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES TRUE)
set(CPACK_STRIP_FILES FALSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME gpumemprof-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS TRUE)
# The simulated CUDA libraries are for the tool alone, and find each other in their folder.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR} ${PROJECT_BINARY_DIR}/lib
  ${PROJECT_BINARY_DIR}/lib/gpumemprof/sim)
set(clangs ${GPUMEMPROF_LLVM_FOUND})
list(TRANSFORM clangs PREPEND clang-)
list(JOIN clangs " | " CPACK_DEBIAN_PACKAGE_RECOMMENDS)

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_AUTOREQ TRUE)
set(CPACK_RPM_PACKAGE_RELOCATABLE TRUE)
# It gives nobody CUDA: libcuda.so.1 and others here are simulated ones in a folder of the tool.
set(CPACK_RPM_SPEC_MORE_DEFINE "%global __provides_exclude_from ^.*/gpumemprof/.*$
%global __requires_exclude ^lib(cuda|cudart|cupti)[.]so.*$
%global __os_install_post %{nil}
%global _build_id_links none")
include(CPack)
