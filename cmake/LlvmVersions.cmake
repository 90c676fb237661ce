# LlvmVersions.cmake - reads the LLVM versions from their only list, include/gpumemprof/llvm_versions.def.
#
# Sets GPUMEMPROF_LLVM_SUPPORTED to all of them, the newest first, GPUMEMPROF_LLVM_TESTED to those that are tested, and
# GPUMEMPROF_LLVM_NEWEST to the first of these.
#   -DGPUMEMPROF_LLVM_VERSIONS=22   builds the plugin for these only (default: each that is installed)
set(list ${PROJECT_SOURCE_DIR}/include/gpumemprof/llvm_versions.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
file(STRINGS ${list} GPUMEMPROF_LLVM_SUPPORTED REGEX "^GPUMEMPROF_LLVM(_EXPECTED)?\\([0-9]+\\)$")
set(GPUMEMPROF_LLVM_TESTED ${GPUMEMPROF_LLVM_SUPPORTED})
list(FILTER GPUMEMPROF_LLVM_TESTED EXCLUDE REGEX EXPECTED)
list(TRANSFORM GPUMEMPROF_LLVM_SUPPORTED REPLACE "[^0-9]" "")
list(TRANSFORM GPUMEMPROF_LLVM_TESTED REPLACE "[^0-9]" "")
list(GET GPUMEMPROF_LLVM_TESTED 0 GPUMEMPROF_LLVM_NEWEST)
if(NOT DEFINED GPUMEMPROF_LLVM_VERSIONS) # not in the cache, where a new version would not reach it
  set(GPUMEMPROF_LLVM_VERSIONS ${GPUMEMPROF_LLVM_SUPPORTED})
endif()
