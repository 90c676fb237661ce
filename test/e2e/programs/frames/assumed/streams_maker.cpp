#include "streams.h"
std::ostream &stream() {
  static Buffer buffer;
  static std::ostream made(&buffer);
  return made;
}
