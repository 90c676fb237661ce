// The other half of two_files.cpp.
#include "two_files.h"

char *checked_allocate(size_t bytes) {
  SCOPE("checked_allocate");
  return bytes ? shared_helper(bytes) : nullptr;
}

char *pick(size_t bytes) {
  SCOPE("pick");
  char *small = shared_helper(bytes / 2), *large = shared_helper(bytes);
  FREE(small);
  return large;
}

Workspace::Workspace(size_t bytes) {
  SCOPE("Workspace::Workspace");
  ALLOC(data_, bytes);
}

void Workspace::grow(size_t bytes) {
  SCOPE("Workspace::grow");
  FREE(data_);
  data_ = shared_helper(bytes);
}

Workspace::~Workspace() {
  FREE(data_);
}
