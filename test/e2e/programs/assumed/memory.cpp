// memory.cpp - operator new and malloc's like are replaced in another file.
#include "parts.h"
struct Big {
  char bytes[5000];
};
Big *volatile big;
static void before() {
  take(100);
}
int main() {
  before();
  big = new Big; /* 5000 */
  return 0;
}
