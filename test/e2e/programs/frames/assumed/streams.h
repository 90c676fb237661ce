#include "parts.h"
#include <ostream>
struct Buffer : std::streambuf {
  int overflow(int c) override;
  std::streamsize xsputn(const char *, std::streamsize n) override;
};
std::ostream &stream();
