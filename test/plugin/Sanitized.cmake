# The plugin with AddressSanitizer and UndefinedBehaviorSanitizer, for LLVM 22: one test, in the preset `asan` only.
find_program(GPUMEMPROF_LLVM_CONFIG_22 NAMES llvm-config-22 PATHS /usr/lib/llvm-22/bin)
find_program(GPUMEMPROF_SANITIZED_CLANG NAMES clang++-22)
set(name plugin.sanitized_plugin_compiles_every_program)
if(GPUMEMPROF_LLVM_CONFIG_22 AND GPUMEMPROF_SANITIZED_CLANG)
  execute_process(COMMAND ${GPUMEMPROF_LLVM_CONFIG_22} --includedir OUTPUT_VARIABLE includes OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(objects)
  # Two units, for time: what includes clang's headers, and what must not (both have a StringLiteral).
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
  foreach(unit pass frontend)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/sanitized_${unit}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "${${unit}_text}" @ONLY)
    add_custom_command(OUTPUT ${source}.o
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${GPUMEMPROF_SANITIZED_CLANG} -std=c++17 -DGPUMEMPROF_VERSION="${PROJECT_VERSION}"
        -D__STDC_CONSTANT_MACROS -D__STDC_FORMAT_MACROS -D__STDC_LIMIT_MACROS -D_GNU_SOURCE -O1 -g1 -fPIC -fno-rtti -fno-exceptions
        -fsanitize=address,undefined -fno-sanitize-recover=all -fno-sanitize=vptr,function
        -I${PROJECT_SOURCE_DIR}/plugin -I${PROJECT_SOURCE_DIR}/include -isystem ${includes} -c ${source} -o ${source}.o
      DEPENDS ${source} ${sources} ${headers} VERBATIM)
    list(APPEND objects ${source}.o)
  endforeach()
  set(plugin ${CMAKE_CURRENT_BINARY_DIR}/sanitized-gpumemprof.so)
  add_custom_command(OUTPUT ${plugin} DEPENDS ${objects} VERBATIM
    COMMAND ${GPUMEMPROF_SANITIZED_CLANG} -shared -fsanitize=address,undefined -shared-libsan ${objects} -o ${plugin})
  add_custom_target(plugin_sanitized ALL DEPENDS ${plugin})
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sanitized.py ${PROJECT_SOURCE_DIR} ${plugin}
    ${GPUMEMPROF_SANITIZED_CLANG} ${CMAKE_CURRENT_BINARY_DIR}/sanitized)
  set_tests_properties(${name} PROPERTIES LABELS plugin TIMEOUT 900 SKIP_RETURN_CODE 77)
else()
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: needs clang++-22 and llvm-22-dev")
  set_tests_properties(${name} PROPERTIES LABELS plugin SKIP_REGULAR_EXPRESSION "skipped:")
endif()
