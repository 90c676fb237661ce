// exceptions.cpp - the last reference to an exception goes, and its destructor moves memory.
#include "parts.h"
#include <exception>
void fails();
static void before() {
  take(100);
}
static void forgets(std::exception_ptr &e) {
  e = nullptr; /* 5000 */
}
int main() {
  std::exception_ptr e;
  try {
    fails();
  } catch (...) {
    e = std::current_exception();
  }
  before();
  forgets(e);
  return 0;
}
