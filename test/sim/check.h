/* check.h - the frame of the simulated device's tests.
 *
 * TEST(name) { ... } defines a test, TEST_WITH(name, "key=value:...") one that runs with these
 * options of the simulated device. A program runs the test named by its argument, in a process of
 * its own, because a device has memory and memory has history.
 * TESTs without options state what a real device does too, and pass on one.
 */
#ifndef GPUMEMPROF_TEST_SIM_CHECK_H
#define GPUMEMPROF_TEST_SIM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

struct test {
  const char *name, *options;
  void (*run)(void);
  struct test *next;
};
static struct test *tests;
static int failures;

static inline void add_test(struct test *test) {
  test->next = tests;
  tests = test;
}

#define TEST_WITH(test_name, sim_options)                                                          \
  static void test_name(void);                                                                     \
  __attribute__((constructor)) static void add_##test_name(void) {                                 \
    static struct test test = {#test_name, sim_options, test_name, 0};                             \
    add_test(&test);                                                                               \
  }                                                                                                \
  static void test_name(void)
#define TEST(test_name) TEST_WITH(test_name, NULL)
/* Only run by another test. */
#define HELPER(test_name) TEST_WITH(test_name, NULL)

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                      \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)

/* Both as numbers of 64 bits; says what was found. */
#define CHECK_EQ(found, expected)                                                                  \
  do {                                                                                             \
    long long found_ = (long long)(found), expected_ = (long long)(expected);                      \
    if (found_ != expected_) {                                                                     \
      fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #found, found_,         \
              expected_);                                                                          \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)

/* A call has to succeed. */
#define OK(call) CHECK_EQ(call, 0)

int main(int argc, char **argv) {
  if (argc != 2) {
    for (struct test *t = tests; t; t = t->next) printf("%s\n", t->name);
    return 2;
  }
  for (struct test *t = tests; t; t = t->next) {
    if (strcmp(t->name, argv[1])) continue;
    const char *now = getenv("GPUMEMPROF_SIM_OPTIONS");
    if (t->options && (!now || strcmp(now, t->options))) {
      setenv("GPUMEMPROF_SIM_OPTIONS", t->options, 1);
      execv("/proc/self/exe", argv);
      perror("execv");
      return 1;
    }
    t->run();
    return failures != 0;
  }
  fprintf(stderr, "there is no test %s\n", argv[1]);
  return 2;
}

#endif /* GPUMEMPROF_TEST_SIM_CHECK_H */
