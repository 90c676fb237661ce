# build_page.cmake - bundles the viewer in the build folder: cmake -DFROM= -DTO= -DNODE= -DNPM= -DREQUIRED=AUTO|ON -P.
#
# npm's packages stay there from build to build until the lock file changes. If they cannot be installed (no network)
# and REQUIRED is not ON, page.html is empty: the tool is built, and `gpumemprof html` says what is missing.
file(MAKE_DIRECTORY ${TO})
file(REMOVE_RECURSE ${TO}/src)
file(COPY ${FROM}/src ${FROM}/build.mjs ${FROM}/package.json ${FROM}/package-lock.json DESTINATION ${TO})

set(failed "")
file(SHA256 ${TO}/package-lock.json lock)
set(installed "")
if(EXISTS ${TO}/installed)
  file(READ ${TO}/installed installed)
endif()
if(NOT installed STREQUAL lock)
  file(REMOVE ${TO}/installed)
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
    WORKING_DIRECTORY ${TO} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0)
    file(WRITE ${TO}/installed ${lock})
  else()
    set(failed "npm could not install the packages of viewer/package-lock.json")
  endif()
endif()
if(NOT failed)
  execute_process(COMMAND ${NODE} build.mjs ${TO}/made
    WORKING_DIRECTORY ${TO} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0) # a mistake in the viewer, not a lack of network
    message(FATAL_ERROR "the viewer could not be bundled:\n${output}")
  endif()
  file(COPY_FILE ${TO}/made/page.html ${TO}/page.html)
elseif(REQUIRED STREQUAL "ON")
  message(FATAL_ERROR "${failed}:\n${output}")
else()
  message("${failed}; `gpumemprof html` will say that its viewer is missing. To try again, remove ${TO}/page.html and build.\n${output}")
  file(WRITE ${TO}/page.html "")
endif()
