// templates.cpp - an instantiation of a library's template over a type of the program, in another
// file.
#include "templates.h"
static void before() {
  take(100);
}
static std::map<std::string, Buf> all;
int main() {
  before();
  all["a"]; /* 3000 */
  before();
  all.clear();
  return 0;
}
