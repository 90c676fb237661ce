// Functions of two files, inlined into each other by LTO; objects with static storage that allocate
// before main and free after it.
#include "two_files.h"

static Workspace workspace(48 * KIB);

int main() {
  SCOPE("main");
  char *p = checked_allocate(10 * KIB);
  workspace.grow(96 * KIB);
  char *q = pick(20 * KIB);
  FREE(p);
  (void)q;
  SUMMARY();
  return 0;
}
