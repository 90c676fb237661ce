// memory.cpp - operator new is replaced in another file: the program calls it itself, by another
// form, and in the C++ library.
#include "parts.h"
#include <string>
struct Big {
  char bytes[5000];
};
Big *volatile big;
char *volatile several;
std::string text;
static void before() {
  take(100);
}
int main() {
  before();
  big = new Big; /* 5000 */
  before();
  several = new char[6000]; /* 6000 */
  before();
  text.reserve(6999); /* 7000 */
  return 0;
}
