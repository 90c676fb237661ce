// A function of namespace std is harmless if all names in it are the library's: types of the program, functions that are
// handed over, and classes that call back are not.
// RUN: %clangxx %gmp %ir -std=c++17 %s | FileCheck %s
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
struct Buf {
  int n;
};
extern template class std::map<std::string, Buf>;
extern template class std::function<void()>;
namespace std {
ostream &operator<<(ostream &, const Buf &); // it is done
template <class T> void swallow(T &);
extern template void swallow<int>(int &);
} // namespace std

// CHECK-LABEL: define {{.*}}harmless1
// CHECK-NOT: gpumemprof.frame =
// CHECK: ret void
void harmless1(std::ostream &to, std::string &s) {
  to << s << 7 << 'c' << "text" << std::endl << std::flush;
  s += "x";
  s.append(3, 'x');
}
// CHECK-LABEL: define {{.*}}types2
// CHECK: gpumemprof.frame =
int types2(std::map<std::string, Buf> &m) { return m.count("a") ? m.at("a").n : 0; }
// CHECK-LABEL: define {{.*}}prints3
// CHECK: gpumemprof.frame =
void prints3(std::ostream &to, const Buf &b) { to << b; }
// CHECK-LABEL: define {{.*}}manipulates4
// CHECK: gpumemprof.frame =
std::ostream &manipulator(std::ostream &);
void manipulates4(std::ostream &to) { to << manipulator; }
// CHECK-LABEL: define {{.*}}swallow5
// CHECK: gpumemprof.frame =
void swallow5(int n) { std::swallow(n); }
