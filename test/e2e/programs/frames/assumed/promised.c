/* promised.c - the filter promises that a function is harmless; the file that has it was compiled
 * without. */
#include "parts.h"
void *quiet_one(size_t n);
#ifdef OTHER
void *quiet_one(size_t n) {
  return take(n);
}
#else
void *volatile kept;
static void before(void) {
  take(100);
}
int main(void) {
  before();
  kept = quiet_one(5000); /* 5000 */
  return 0;
}
#endif
