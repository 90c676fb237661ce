/* options_test.c - options of the simulated device: what they change, and what wrong ones get. */
#include "check.h"

#include <cuda_runtime.h>
#include <sys/wait.h>

/* Runs `name` of this program with the options, and gives its status and what it says. */
static int run(const char *options, const char *visible, const char *name, char *said,
               size_t size) {
  int ends[2];
  OK(pipe(ends));
  pid_t child = fork();
  if (!child) {
    setenv("GPUMEMPROF_SIM_OPTIONS", options, 1);
    if (visible) setenv("CUDA_VISIBLE_DEVICES", visible, 1);
    dup2(ends[1], 2);
    dup2(ends[1], 1);
    execl("/proc/self/exe", "options_test", name, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  size_t used = 0;
  ssize_t got;
  while ((got = read(ends[0], said + used, size - 1 - used)) > 0) used += (size_t)got;
  said[used] = 0;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char said[4096];

static void expect_sentence(const char *options, const char *part) {
  CHECK_EQ(run(options, NULL, "succeeds", said, sizeof said), 2);
  if (!strstr(said, part)) {
    fprintf(stderr, "%s gave: %s", options, said);
    failures++;
  }
  CHECK(strchr(said, '\n') == strrchr(said, '\n')); /* one line */
}

HELPER(succeeds) {
  OK(0);
}

TEST(wrong_options_end_the_program_with_one_sentence) {
  expect_sentence("memry=1GiB", "there is no option 'memry'; there are devices, memory");
  expect_sentence("memory=lots", "'lots' is no value for memory");
  expect_sentence("memory=24GB", "write bytes as 24GiB or 512MiB");
  expect_sentence("memory=-1", "'-1' is no value for memory");
  expect_sentence("memory=99999999999999999999GiB", "is no value for memory");
  expect_sentence("devices=65", "'65' is no value for devices");
  expect_sentence("devices", "'devices' has no value");
  expect_sentence("granularity=3MiB", "is not a power of two");
  expect_sentence("memory=1MiB", "memory is less than the granularity");
  expect_sentence("verbose=2", "'2' is no value for verbose");
}

TEST(good_options_say_nothing) {
  CHECK_EQ(
      run("devices=2:memory=8GiB:granularity=64KiB:name=A card:fail=3:fail_every=0:fail_free=9",
          NULL, "succeeds", said, sizeof said),
      0);
  CHECK(!*said);
}

static int devices(void) {
  int count = 0;
  cudaGetDeviceCount(&count);
  return count;
}

HELPER(exits_with_the_number_of_devices) {
  exit(100 + devices());
}

TEST(visible_devices_can_only_hide) {
  static const struct {
    const char *visible;
    int count;
  } cases[] = {{"0", 1}, {"1,0", 2}, {"", 0}, {"0,7,1", 1}, {"-1", 0}, {"0,0", 1}, {"0,1,2,3", 4}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    CHECK_EQ(
        run("devices=4", cases[i].visible, "exits_with_the_number_of_devices", said, sizeof said),
        100 + cases[i].count);
}

TEST(verbose_tells_the_device_and_unsimulated_calls_speak_once) {
  CHECK_EQ(run("verbose=1:memory=1GiB", NULL, "asks_twice_for_what_is_missing", said, sizeof said),
           0);
  CHECK(strstr(said, "1 simulated device of 1073741824 bytes, no GPU is used"));
  char *first = strstr(said, "cudaIpcGetEventHandle is not simulated");
  CHECK(first != NULL);
  CHECK(first && !strstr(first + 1, "cudaIpcGetEventHandle is not simulated"));
}

TEST(verbose_tells_what_did_not_fit_and_how_much_was_needed) {
  CHECK_EQ(run("verbose=1:memory=64MiB", NULL, "asks_for_too_much", said, sizeof said), 0);
  CHECK(strstr(said, "out of memory: 67108864 bytes asked for, 62914560 of 67108864 free"));
  CHECK(strstr(said, "device 0: at most 4194304 of 67108864 bytes were in use"));
}

HELPER(asks_for_too_much) {
  void *p;
  OK(cudaMalloc(&p, 3 * MIB));
  CHECK_EQ(cudaMalloc(&p, 64 * MIB), cudaErrorMemoryAllocation);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);

HELPER(asks_twice_for_what_is_missing) {
  cudaIpcEventHandle_t handle;
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  CHECK_EQ(cudaIpcGetEventHandle(&handle, event), cudaErrorNotSupported);
  CHECK_EQ(cudaIpcGetEventHandle(&handle, event), cudaErrorNotSupported);
}
