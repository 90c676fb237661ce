#include "parts.h"
#include <map>
#include <string>
struct Buf {
  void *p;
  Buf() : p(take(3000)) {}
  ~Buf() { cudaFree(p); }
};
extern template class std::map<std::string, Buf>;
