// Qualified, with template arguments, without parameters.
// RUN: %clangxx %gmp -std=c++17 -O0 %s %fake -o %t && env FAKE_RUNTIME_SITES=1 %t | grep kind=1 | FileCheck %s
#include "../Inputs/cuda.h"
#include <utility>
static void *plain() {
  void *p;
  cudaMalloc(&p, 1);
  return p;
}
namespace ns {
namespace {
void hidden() { plain(); }
} // namespace
template <class T, int N> struct Class {
  template <class U> static void method(U) { plain(); }
  Class &operator+=(int) {
    plain();
    return *this;
  }
  operator bool() { return plain(); }
};
inline auto maker() {
  return [](std::pair<int, char>) { plain(); };
}
} // namespace ns
extern "C" void c_function() { plain(); }
int main() {
  // CHECK-DAG: in plain{{$}}
  // CHECK-DAG: in ns::(anonymous namespace)::hidden{{$}}
  ns::hidden();
  ns::Class<float *, 3> c;
  // CHECK-DAG: in ns::Class<float*, 3>::method<char>{{$}}
  c.method('c');
  // CHECK-DAG: in ns::Class<float*, 3>::operator+={{$}}
  c += 1;
  // CHECK-DAG: in ns::Class<float*, 3>::operator bool{{$}}
  if (c) c_function();
  // CHECK-DAG: in c_function{{$}}
  // CHECK-DAG: in ns::maker()::'lambda'(std::pair<int, char>)::operator(){{$}}
  ns::maker()({1, 'c'});
  auto outer = [] {
    // CHECK-DAG: in main::'lambda'{{(\(\))?}}::operator()() const::'lambda'(int)::operator(){{$}}
    auto inner = [](int) { plain(); };
    inner(1);
  };
  // CHECK-DAG: in main::'lambda'()::operator(){{$}}
  outer();
  // CHECK-DAG: in main{{$}}
}
