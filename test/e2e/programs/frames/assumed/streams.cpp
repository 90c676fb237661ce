// streams.cpp - a stream buffer of the program moves memory behind <<; three files know a part
// each.
#include "parts.h"
#include <ostream>
std::ostream &stream();
static void before() {
  take(100);
}
int main() {
  std::ostream &to = stream();
  before();
  to << 'a'; /* 3000 */
  before();
  to << 7; /* 3000 */
  before();
  to << "text" << std::flush; /* 3000 */
  return 0;
}
