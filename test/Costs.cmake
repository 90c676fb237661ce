# Costs.cmake - which tests begin first. A test that takes minutes and begins last leaves all processors but one without work,
# and CTest knows what tests took only where it has run them before.
#
# Seconds on the clock on two processors, of the tests that take more than ten of them somewhere; the others cost nothing. Under
# a sanitizer it is other tests that take long, so the list has the higher figure. An old figure changes the order, no result.
set(GPUMEMPROF_COSTS
  "reader.damaged 50" "reader.memory 60"
  "plugin.sanitized_plugin_compiles_every_program 130" "plugin.llvm-22.frames 20" "plugin.llvm-19.frames 20"
  "differential.programs_1_to_50 50" "differential.programs_51_to_100 50" "differential.programs_101_to_150 50"
  "differential.programs_151_to_200 50"
  "fuzz.capture 30" "fuzz.reader_library 30"
  "lint.words 20" "lint.plugin_as_one_unit 10"
  "page_firefox 126" "page_views 95" "page_pictures 72" "page_narrow 70" "page_names 46" "page_tables 37" "page_ends 37"
  "page_timeline 31" "page_devices 30" "page_moments 28" "page_findings 27" "page_blocks 26" "page_colors 22" "page_history 21"
  "page_advice 20" "page_paper 14"
  "unit.oracle_reset 20" "unit.oracle_reset_shared_3 20"   "unit.oracle_reset_single_1 14" "unit.oracle_reset_single_3 12" "unit.oracle_shared_3 16" "unit.oracle_shared_1 13"
  "unit.blocks 13" "unit.second_thread 16" "unit.collisions_contexts 11"
  "tools_options_with_unusual_values 73" "tools_json_and_csv_are_of_their_schema 65" "tools_large_captures_take_linear_time 65"
  "tools_options_each_in_every_format 54" "tools_merge_of_damaged 44" "tools_advice_predicted 42"
  "tools_random_programs_against_brute_force 39" "tools_advice_none_left 38" "tools_rows_of_paths_are_made_for_what_is_shown 37"
  "tools_options_commands_agree 30" "tools_advice_is_linear 30" "tools_every_format 25" "tools_export_memory_does_not_grow_with_events 24"
  "tools_advice_in_a_page 23" "tools_advice_bounds 21" "tools_page_sections_the_largest_call_paths_where_not_all_fit 19"
  "tools_page_events_that_do_not_fit_become_a_rest 17" "tools_grows_while_it_is_read 16" "tools_merge_of_random_programs 15"
  "tools_rewritten_while_it_is_read 14" "tools_export_perfetto_by_trace_processor 14" "tools_export_speedscope_by_its_page 13" "tools_export_firefox_by_its_own_code 14"
  "e2e.sanitized.threads 80" "e2e.sanitized.address_and_undefined 60" "e2e.sanitized.threads_that_collide 25"
  "e2e.random_programs.seeds_1_to_3 32" "e2e.random_programs.seeds_4_to_6 22"
  "e2e.control_flow.recursion_beyond_the_shadow_stack_charges_the_deepest_frame 30" "e2e.faults.each_call_fails_once_and_from_then_on 30"
  "e2e.crash_safety.killed_at_any_instruction_figures_are_those_of_the_events 28" "e2e.crash_safety.killed_at_any_instruction_figures_add_up 27"
  "e2e.exports.labels_are_labels_of_samples 27" "e2e.assumptions.stream_buffer_that_moves_memory_is_noticed 23"
  "e2e.rows.rows_are_what_random_programs_count 23" "e2e.many_names.scopes_of_many_paths_have_a_limit_of_their_own 21"
  "e2e.line_peaks.what_the_program_counts 21" "e2e.uses_traps.files_that_were_not_rebuilt 20"
  "e2e.descriptors.writes_to_closed_outputs_hit_nothing 20" "e2e.without_toolkit.headers_and_clang_22_agree 20"
  "e2e.without_toolkit.headers_and_clang_19_agree 18" "e2e.control_flow.handlers_that_jump_out_of_the_runtime 18"
  "e2e.timelines.columns_are_those_of_the_events 17")

# gpumemprof_start_long_tests_first(): gives those among the tests of this folder their costs; called at a folder's end.
function(gpumemprof_start_long_tests_first)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(cost IN LISTS GPUMEMPROF_COSTS)
    string(REPLACE " " ";" cost ${cost})
    list(GET cost 0 name)
    if(name IN_LIST tests)
      list(GET cost 1 seconds)
      set_tests_properties(${name} PROPERTIES COST ${seconds})
    endif()
  endforeach()
endfunction()
