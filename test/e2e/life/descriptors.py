"""The program's descriptors are the program's: the profiler never holds one that the program can hit, and its
sentence goes nowhere but to the standard error that the program was started with."""
import os
import subprocess

from harness import check


def _program(t):
    built = t.work / "closed_outputs"
    return built if built.exists() else t.build("closed_outputs", "life/closed_outputs.cpp", flags=["-O1"])


def _run(t, *arguments, options="", closed=()):
    """Runs the program, with descriptors closed from its start on; returns what it said and its capture."""
    capture = t.work / "run.gmprof"
    capture.unlink(missing_ok=True)

    def close():
        for fd in closed:
            os.close(fd)
    done = subprocess.run([_program(t), *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False,
                          cwd=t.work, preexec_fn=close, env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={capture}{options}"})
    assert done.returncode == 9, (arguments, done)
    return done.stderr, capture


def _judge(t, capture, bits):
    report = t.report(capture)
    paths = (1 << bits) + 1
    assert t.state(capture) == "complete" and not any(report["losses"].values()), report["losses"]
    check(report["conservation"], "conservation", ok=True, allocated=paths * 512, freed=paths * 512)


def writes_to_closed_outputs_hit_nothing(t):
    """While the capture grows, samples are taken and dumps are made."""
    for fds in ((1, 2), (0, 1, 2)):
        for options in ("", ":monitor=1ms:dump=every:10ms"):
            for _ in range(8):
                _, capture = _run(t, "threads", 11, *fds, options=f":quiet=1{options}")
                _judge(t, capture, 11)
                for dump in t.work.glob("run.dump*.gmprof"):
                    assert t.report(dump)["conservation"]["ok"]
                    dump.unlink()


def program_that_begins_without_outputs(t):
    for closed in ((0, 1, 2), (0,), (2,), (1, 2)):
        _, capture = _run(t, "threads", 11, *closed, closed=closed)
        _judge(t, capture, 11)


def sentence_stays_out_of_a_file_that_became_standard_error(t):
    data = t.work / "data"
    for fd in (1, 2):
        said, _ = _run(t, "data", data, fd)
        assert data.read_text() == "data\n", data.read_text()
        assert said.startswith("gpumemprof: wrote ") == (fd == 1), said
    _run(t, "data", data, 2, closed=(2,))
    assert data.read_text() == "data\n", data.read_text()


def sentence_goes_where_both_outputs_were_sent(t):
    """Descriptors 1 and 2 that are one open file were made so on purpose. A file that is only descriptor 2 may hold data."""
    log = t.work / "log"
    said, capture = _run(t, "both", log)
    assert log.read_text().startswith(f"log\ngpumemprof: wrote {capture}") and not said, log.read_text()
    said, _ = _run(t, "log", log)
    assert log.read_text() == "log\n" and not said, log.read_text()


def sentence_goes_to_the_standard_error_of_the_start(t):
    said, capture = _run(t, "data", t.work / "data", 1)
    assert said == f"gpumemprof: wrote {capture}; 'gpumemprof report' shows it\n", said
    with open(t.work / "errors", "w+", encoding="utf-8") as errors:
        subprocess.run([_program(t), "data", t.work / "data", "1"], stderr=errors, check=False, cwd=t.work,
                       env={**os.environ, "GPUMEMPROF_OPTIONS": f"output={capture}"})
        errors.seek(0)
        assert errors.read() == said


def signals_come_while_the_capture_grows(t):
    """A growth holds all signals for its moment; none is lost, and none of them runs on the profiler's task."""
    source = t.work / "ticks.cpp"
    source.write_text("""#include <cuda_runtime.h>
#include <csignal>
#include <sys/time.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile sig_atomic_t ticks, strangers;
static long self;
static void tick(int) { ticks = ticks + 1; if (syscall(SYS_gettid) != self) strangers = 1; }
template <int Depth> __attribute__((noinline)) void walk(unsigned path) {
  if (path & 1) walk<Depth - 1>(path >> 1);
  else walk<Depth - 1>(path >> 1);
}
template <> void walk<0>(unsigned) {
  void *p;
  cudaMalloc(&p, 512);
  cudaFree(p);
}
int main() {
  self = syscall(SYS_gettid);
  struct sigaction action = {};
  action.sa_handler = tick;
  sigaction(SIGALRM, &action, nullptr);
  itimerval every = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &every, nullptr);
  for (unsigned path = 0; path < 1u << 14; path++) walk<16>(path);
  return ticks > 10 && !strangers ? 9 : 8;
}
""")
    program = t.build("ticks", source, flags=["-O1"])
    for options in ("", "history=all"):
        _, capture = t.run(program, status=9, options=options)
        assert t.report(capture)["conservation"]["ok"] and t.state(capture) == "complete"
