/* another.c - a library has a function of its own, unseen from outside, under a name of the C
 * library's. */
#include "parts.h"
#ifdef LIBRARY
__attribute__((visibility("hidden"))) void *link(size_t n) {
  return take(n);
}
void *works(size_t n) {
  void *(*volatile way)(size_t) = link; /* its call does not name it */
  return way(n);
}
#else
#include <unistd.h>
void *works(size_t n);
int main(void) {
  if (!link("/nonexistent/a", "/nonexistent/b")) return 1;
  return works(5000) == 0;
}
#endif
