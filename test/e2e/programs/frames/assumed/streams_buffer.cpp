#include "streams.h"
int Buffer::overflow(int c) {
  return take(3000) ? c : c;
}
std::streamsize Buffer::xsputn(const char *, std::streamsize n) {
  return take(3000) ? n : n;
}
