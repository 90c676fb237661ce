#ifndef TWO_FILES_H
#define TWO_FILES_H
#include "../oracle/oracle.h"

char *checked_allocate(size_t bytes);
char *pick(size_t bytes);

class Workspace {
public:
  explicit Workspace(size_t bytes);
  void grow(size_t bytes);
  ~Workspace();

private:
  char *data_ = nullptr;
};

// In both files: one scope, whichever copy the linker keeps.
inline char *shared_helper(size_t bytes) {
  SCOPE("shared_helper");
  char *p;
  ALLOC(p, bytes);
  return p;
}

#endif
