"""`gpumemprof.profile`: its figures are those of the program's own log, in nested blocks, threads, generators and coroutines."""
from common import on_device


def _measured(t, case):
    for lines in ((), ("lines",)):  # also with the lines of Python around it
        result, _ = on_device(t, "measured.py", case, *lines)
        assert result.out.endswith("as in the log\n"), result.out


def blocks_nest(t):
    _measured(t, "nested")


def recursive_functions_are_measured_each(t):
    _measured(t, "recursive")


def exceptions_pass_through(t):
    _measured(t, "exceptions")


def blocks_outlive_the_function_that_opened_them(t):
    _measured(t, "managers")


def methods_of_all_kinds(t):
    _measured(t, "methods")


def generators_count_while_they_run(t):
    _measured(t, "generators")


def coroutines_count_while_they_run(t):
    _measured(t, "coroutines")


def asynchronous_generators_count_while_they_run(t):
    _measured(t, "asynchronous_generators")


def threads_have_their_own_figures(t):
    _measured(t, "threads")


def blocks_of_a_thread_overlap(t):
    _measured(t, "overlapping")


def blocks_and_several_threads(t):
    _measured(t, "across_threads")


def snapshots_and_marks(t):
    _measured(t, "snapshots")
