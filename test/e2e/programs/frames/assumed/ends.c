/* ends.c - an error handler of another file that moves memory, called where there is no frame. */
#include "parts.h"
static void before(void) {
  take(100);
}
static int checked(int n) {
  if (n > 0) dies(5000); /* 5000 */
  return n;
}
int main(int argc, char **argv) {
  (void)argv;
  before();
  return checked(argc);
}
