# Lit.cmake - a folder of lit files is one CTest test: one process of lit runs its files side by side and names each.
#
#   ctest -R tools.check                       the files of test/tools/lit/check
#   LIT_FILTER=leaks ctest -R tools.check      those of them whose name has `leaks`; lit reads LIT_FILTER itself
#   ... where they are slow, a part of a folder's files runs, another one after each commit (lit_in_turns.py)
#
# scripts/count_tests.py counts and names the files by what lit prints.
include(ProcessorCount)
ProcessorCount(GPUMEMPROF_LIT_JOBS)
if(GPUMEMPROF_LIT_JOBS GREATER 4 OR GPUMEMPROF_LIT_JOBS EQUAL 0)
  set(GPUMEMPROF_LIT_JOBS 4) # a folder has not more than thirty files, and CTest runs several folders at once
endif()

# gpumemprof_add_lit_tests(PREFIX ROOT LIT SUITE FILES... [PARAMETERS --param NAME=VALUE...] [PARTS N]): a CTest test
# PREFIX.FOLDER for each folder below ROOT that has some of FILES. SUITE is where lit finds its configuration, and there
# the same folders: ROOT itself, or a build folder whose lit.site.cfg.py loads that of ROOT. Each test is given a parameter
# `work`, a name of its own: lit writes a file of times in its output folder.
function(gpumemprof_add_lit_tests prefix root lit suite)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "PARTS" "FILES;PARAMETERS")
  if(arg_PARTS)
    list(PREPEND lit ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/test/lit_in_turns.py ${arg_PARTS})
  endif()
  set(folders)
  foreach(file IN LISTS arg_FILES)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${root} OUTPUT_VARIABLE file)
    cmake_path(GET file PARENT_PATH folder)
    if(NOT folder)
      message(FATAL_ERROR "gpumemprof: ${root}/${file} is to be in a folder of ${root}; see test/Lit.cmake")
    endif()
    list(APPEND folders "${folder}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    string(REPLACE "/" "." name "${prefix}.${folder}")
    add_test(NAME ${name} COMMAND ${lit} -v -j ${GPUMEMPROF_LIT_JOBS} --show-unsupported --time-tests
      ${arg_PARAMETERS} --param work=${name} ${suite}/${folder})
    set_tests_properties(${name} PROPERTIES PROCESSORS ${GPUMEMPROF_LIT_JOBS} TIMEOUT 1800)
  endforeach()
  set(GPUMEMPROF_LIT_TESTS ${folders} PARENT_SCOPE)
endfunction()
