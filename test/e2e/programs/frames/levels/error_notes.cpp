#include <cstdio>
void note(const char *what) {
  std::fputs(what, stderr);
}
