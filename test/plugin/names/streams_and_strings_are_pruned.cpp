// What users do all day in C++ costs nothing: output, strings, containers of plain types.
// RUN: %clangxx %gmp %ir -std=c++17 %s | FileCheck %s --implicit-check-not="gpumemprof.frame ="
// CHECK: define {{.*}}prints
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>
void prints(const std::string &name) {
  std::vector<int> v{3, 1, 2};
  v.push_back(4);
  std::map<std::string, double> m;
  m[name + "!"] = 2;
  std::ostringstream text;
  text << name << ' ' << v.size() << ' ' << m.size() << std::endl;
  std::cout << text.str() << std::endl;
}
