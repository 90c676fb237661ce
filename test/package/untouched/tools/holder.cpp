#include <cstddef>

void *hold(size_t size);

int main() {
  hold(3000);
  return 0;
}
