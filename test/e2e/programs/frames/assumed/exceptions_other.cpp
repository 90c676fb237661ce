#include "parts.h"
struct Failure {
  void *p;
  Failure() : p(take(100)) {}
  Failure(Failure &&other) : p(other.p) { other.p = nullptr; }
  ~Failure();
};
Failure::~Failure() {
  if (p) take(5000);
}
void fails() {
  throw Failure();
}
