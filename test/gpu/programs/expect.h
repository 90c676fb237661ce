/* expect.h - the test programs of test/gpu say what a profiler must report of them.
 *
 * A program prints one line "expect {...}" before it ends: per device the gross bytes, frees and
 * the peak, and each line that leaks. The figures come from the program's own constants (and from
 * the pitch the device chose), never from a profiler. run.py compares. Device -1 is page-locked
 * host memory.
 */
#ifndef GPM_TEST_EXPECT_H
#define GPM_TEST_EXPECT_H

#include <cstdio>
#include <cstdlib>

#define MIB (1024ull * 1024ull)

#define CHECK(call)                                                                                \
  do {                                                                                             \
    int check_result = (int)(call);                                                                \
    if (check_result != 0) {                                                                       \
      std::fprintf(stderr, "%s:%d: %s returned error %d\n", __FILE__, __LINE__, #call,             \
                   check_result);                                                                  \
      std::exit(3);                                                                                \
    }                                                                                              \
  } while (0)

/* A scoped writer: expect e; e.device(...); e.leak(...); printed by the destructor. */
class expect {
  bool first_device = true;
  bool first_leak = true;
  char devices[2048] = "";
  char leaks[2048] = "";
  int devices_length = 0;
  int leaks_length = 0;

public:
  void device(int ordinal, unsigned long long allocated, unsigned long long freed,
              unsigned long long peak) {
    devices_length += std::snprintf(
        devices + devices_length, sizeof devices - (size_t)devices_length,
        "%s{\"device\":%d,\"allocated\":%llu,\"freed\":%llu,\"live\":%llu,\"peak\":%llu}",
        first_device ? "" : ",", ordinal, allocated, freed, allocated - freed, peak);
    first_device = false;
  }
  void leak(int line, unsigned long long bytes) {
    leaks_length +=
        std::snprintf(leaks + leaks_length, sizeof leaks - (size_t)leaks_length,
                      "%s{\"line\":%d,\"bytes\":%llu}", first_leak ? "" : ",", line, bytes);
    first_leak = false;
  }
  ~expect() { std::printf("expect {\"devices\":[%s],\"leaks\":[%s]}\n", devices, leaks); }
};

#endif /* GPM_TEST_EXPECT_H */
