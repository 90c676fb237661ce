# Page.cmake - the viewer that `gpumemprof html` puts into every page. Node bundles viewer/ into one file, which
# page_viewer.c embeds into the tool. Only the build uses the network: npm fetches the packages of
# viewer/package-lock.json.
#
#   GPUMEMPROF_PAGE=AUTO   has viewer/page.html, which a source archive of a release contains, else the viewer if Node.js 18 and npm are installed; else `gpumemprof html` says that it is missing
#   GPUMEMPROF_PAGE=ON     has the viewer; the build fails without Node.js 18 and npm
#   GPUMEMPROF_PAGE=OFF    has no viewer
#   GPUMEMPROF_PAGE=FILE   has a page.html that `node viewer/build.mjs OUTDIR` made elsewhere
set(GPUMEMPROF_PAGE AUTO CACHE STRING "Viewer of `gpumemprof html`: AUTO, ON, OFF, or a page.html made elsewhere")
set(GPUMEMPROF_PAGE_FILE "") # tools/CMakeLists.txt embeds this file

function(gpumemprof_find_node result)
  find_program(GPUMEMPROF_NODE NAMES node nodejs)
  find_program(GPUMEMPROF_NPM npm)
  mark_as_advanced(GPUMEMPROF_NODE GPUMEMPROF_NPM)
  set(${result} "Node.js and npm were not found" PARENT_SCOPE)
  if(GPUMEMPROF_NODE AND GPUMEMPROF_NPM)
    execute_process(COMMAND ${GPUMEMPROF_NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REGEX REPLACE "^v" "" version "${version}")
    if(version VERSION_LESS 18)
      set(${result} "${GPUMEMPROF_NODE} is version ${version}, and 18 is needed" PARENT_SCOPE)
    else()
      set(${result} "" PARENT_SCOPE)
    endif()
  endif()
endfunction()

function(gpumemprof_build_page)
  set(from ${PROJECT_SOURCE_DIR}/viewer)
  set(to ${PROJECT_BINARY_DIR}/viewer)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${from}/src/*)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/build_page.cmake)
  add_custom_command(OUTPUT ${to}/page.html
    COMMAND ${CMAKE_COMMAND} -DFROM=${from} -DTO=${to} -DNODE=${GPUMEMPROF_NODE} -DNPM=${GPUMEMPROF_NPM}
      -DREQUIRED=${GPUMEMPROF_PAGE} -P ${script}
    DEPENDS ${script} ${from}/package.json ${from}/package-lock.json ${from}/build.mjs ${sources}
    COMMENT "Bundling the viewer of pages" VERBATIM)
  add_custom_target(gpumemprof_page DEPENDS ${to}/page.html)
  set(GPUMEMPROF_PAGE_FILE ${to}/page.html PARENT_SCOPE)
endfunction()

if(GPUMEMPROF_PAGE STREQUAL "OFF")
  message(STATUS "Page: OFF; `gpumemprof html` will say that its viewer is missing")
elseif(GPUMEMPROF_PAGE STREQUAL "AUTO" AND EXISTS ${PROJECT_SOURCE_DIR}/viewer/page.html)
  set(GPUMEMPROF_PAGE_FILE ${PROJECT_SOURCE_DIR}/viewer/page.html)
elseif(GPUMEMPROF_PAGE MATCHES "^(AUTO|ON)$")
  gpumemprof_find_node(GPUMEMPROF_NODE_LACKS)
  if(NOT GPUMEMPROF_NODE_LACKS)
    gpumemprof_build_page()
  elseif(GPUMEMPROF_PAGE STREQUAL "ON")
    message(FATAL_ERROR "GPUMEMPROF_PAGE=ON: ${GPUMEMPROF_NODE_LACKS}")
  else()
    message(STATUS "Page: ${GPUMEMPROF_NODE_LACKS}; `gpumemprof html` will say that its viewer is missing")
  endif()
else()
  get_filename_component(GPUMEMPROF_PAGE_FILE "${GPUMEMPROF_PAGE}" ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
  if(NOT EXISTS ${GPUMEMPROF_PAGE_FILE})
    message(FATAL_ERROR "GPUMEMPROF_PAGE: there is no ${GPUMEMPROF_PAGE_FILE}; use AUTO, ON, OFF or a page.html")
  endif()
endif()
