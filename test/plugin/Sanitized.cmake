# The plugin with AddressSanitizer and UndefinedBehaviorSanitizer, for the newest LLVM: one test, in the preset `asan` only.
# It is built of two units; elsewhere a test reads the larger one, so that a name in two files is found before that preset.
set(newest ${GPUMEMPROF_LLVM_NEWEST})
find_program(GPUMEMPROF_LLVM_CONFIG_${newest} NAMES llvm-config-${newest} PATHS /usr/lib/llvm-${newest}/bin)
find_program(GPUMEMPROF_SANITIZED_CLANG NAMES clang++-${newest})
set(name plugin.sanitized_plugin_compiles_every_program)
if(GPUMEMPROF_LLVM_CONFIG_${newest} AND GPUMEMPROF_SANITIZED_CLANG)
  execute_process(COMMAND ${GPUMEMPROF_LLVM_CONFIG_${newest}} --includedir OUTPUT_VARIABLE includes OUTPUT_STRIP_TRAILING_WHITESPACE)
  # Two units that are not optimised, for time: their optimisation took longer than it saves in the test.
  # One includes clang's headers, the other one must not (both have a StringLiteral).
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/plugin/*/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/plugin/*/*.h ${PROJECT_SOURCE_DIR}/plugin/*/*.def)
  set(pass_text)
  set(frontend_text)
  foreach(source IN LISTS sources)
    if(source MATCHES "/frontend/" AND NOT source MATCHES "/HostCheck")
      string(APPEND frontend_text "#include \"${source}\"\n")
    else()
      string(APPEND pass_text "#include \"${source}\"\n")
    endif()
  endforeach()
  set(compile ${CMAKE_CXX_COMPILER_LAUNCHER} ${GPUMEMPROF_SANITIZED_CLANG} -std=c++17 -DGPUMEMPROF_VERSION="${PROJECT_VERSION}"
    -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS -D_GNU_SOURCE -O0 -g1 -fPIC -fno-rtti -fno-exceptions
    -I${PROJECT_SOURCE_DIR}/plugin -I${PROJECT_SOURCE_DIR}/include -isystem ${includes})
  set(objects)
  foreach(unit pass frontend)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/sanitized_${unit}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "${${unit}_text}" @ONLY)
    add_custom_command(OUTPUT ${source}.o
      COMMAND ${compile} -fsanitize=address,undefined -fno-sanitize-recover=all -fno-sanitize=vptr,function -c ${source} -o ${source}.o
      DEPENDS ${source} ${sources} ${headers} VERBATIM)
    list(APPEND objects ${source}.o)
  endforeach()
  if(NOT GPUMEMPROF_SANITIZE)
    add_test(NAME lint.plugin_as_one_unit COMMAND ${compile} -fsyntax-only ${CMAKE_CURRENT_BINARY_DIR}/sanitized_pass.cpp)
    set_tests_properties(lint.plugin_as_one_unit PROPERTIES LABELS lint TIMEOUT 300)
  endif()
  if(NOT GPUMEMPROF_SANITIZE MATCHES "address")
    return()
  endif()
  set(plugin ${CMAKE_CURRENT_BINARY_DIR}/sanitized-gpumemprof.so)
  add_custom_command(OUTPUT ${plugin} DEPENDS ${objects} VERBATIM
    COMMAND ${GPUMEMPROF_SANITIZED_CLANG} -shared -fsanitize=address,undefined -shared-libsan ${objects} -o ${plugin})
  add_custom_target(plugin_sanitized ALL DEPENDS ${plugin})
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sanitized.py ${PROJECT_SOURCE_DIR} ${plugin}
    ${GPUMEMPROF_SANITIZED_CLANG} ${CMAKE_CURRENT_BINARY_DIR}/sanitized)
  set_tests_properties(${name} PROPERTIES LABELS plugin TIMEOUT 1800 SKIP_RETURN_CODE 77)
elseif(GPUMEMPROF_SANITIZE MATCHES "address")
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: needs clang++-${newest} and llvm-${newest}-dev")
  set_tests_properties(${name} PROPERTIES LABELS plugin SKIP_REGULAR_EXPRESSION "skipped:")
endif()
