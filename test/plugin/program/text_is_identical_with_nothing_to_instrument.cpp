// REQUIRES: lines-without-g
// Loading the plugin and asking for locations changes no byte of an object it has nothing to do in.
// RUN: %clangxx -std=c++17 -O2 -c %s -o %t.plain.o && %clangxx %gmp -std=c++17 -O2 -c %s -o %t.o && cmp %t.plain.o %t.o
// RUN: %clangxx -std=c++17 -O0 -c %s -o %t.plain.o && %clangxx %gmp -std=c++17 -O0 -c %s -o %t.o && cmp %t.plain.o %t.o
// RUN: %clangxx -std=c++17 -O3 -fPIC -c %s -o %t.plain.o && %clangxx %gmp -std=c++17 -O3 -fPIC -c %s -o %t.o && cmp %t.plain.o %t.o
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>
template <class T> static T sum(const std::vector<T> &v) {
  T total{};
  for (const T &x : v) total += x;
  return total;
}
struct Shape {
  virtual ~Shape() {}
  double size = 1;
};
int main(int argc, char **argv) {
  std::vector<double> v;
  for (int i = 0; i < argc; i++) v.push_back(i * 0.5);
  std::sort(v.begin(), v.end());
  std::string s = argv[0];
  Shape shape;
  printf("%f %zu\n", sum(v) + shape.size, s.size());
  return 0;
}
