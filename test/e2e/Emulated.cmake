# Emulated.cmake - which end-to-end tests run under an emulator: those of what differs between processors.
function(gpumemprof_emulated_test file)
  gpumemprof_add_python_tests(e2e ${file} LABELS e2e ONLY ${ARGN})
endfunction()
# fibers that move between threads, handlers at each place, coroutines, exceptions, thread-local data of closed libraries
gpumemprof_emulated_test(frames/control_flow fibers_of_ucontext_are_exact fibers_switched_by_marked_calls_are_exact
  fibers_switched_by_code_not_rebuilt_are_counted handlers_that_come_at_known_places
  coroutines_across_threads_exceptions_and_transfers)
gpumemprof_emulated_test(frames/oracle exceptions threads)
gpumemprof_emulated_test(life/libraries thread_beside_a_thread_that_loads)
# launches and copies
gpumemprof_emulated_test(cuda/uses predictions_without_toolkit)
gpumemprof_emulated_test(cuda/uses_repeated values_are_compared)
