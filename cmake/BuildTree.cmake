# BuildTree.cmake - the package's names for projects that add gpumemprof with add_subdirectory().
include(GpumemprofInstrument)

if(TARGET gpumemprof_runtime)
  add_library(gpumemprof::runtime ALIAS gpumemprof_runtime)
endif()
if(TARGET gpumemprof_runtime_static)
  add_library(gpumemprof::runtime_static ALIAS gpumemprof_runtime_static)
endif()
if(TARGET gpumemprof_tool)
  add_executable(gpumemprof::tool ALIAS gpumemprof_tool)
endif()

set(plugins "")
foreach(major 22 19)
  if(TARGET gpumemprof_plugin_${major})
    list(APPEND plugins ${major} $<TARGET_FILE:gpumemprof_plugin_${major}>)
  endif()
endforeach()
_gpumemprof_use_plugins(${plugins})
if(plugins) # a sanitizer's build has none
  _gpumemprof_define_plugin_target()
endif()
