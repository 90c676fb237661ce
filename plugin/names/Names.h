//===- Names.h - a function's name as a person writes it ------------------===//
//
// "make", "main", "ns::Class<int>::method", "main::'lambda'(int)::operator()":
// qualified, with template arguments, without parameters.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_NAMES_H
#define GPUMEMPROF_PLUGIN_NAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class Function;
}

namespace gpumemprof {

std::string displayName(const llvm::Function &F);
std::string displayName(llvm::StringRef LinkageName);

/// The base name of a constructor or destructor ("Buffer", "~Buffer"), else "".
std::string structorName(llvm::StringRef LinkageName);

/// The class of a method ("ns::Matrix<float>"), and the types of a function's parameters
/// ("(int, Shape)"); "" if there is none.
std::string classOf(llvm::StringRef LinkageName);
std::string parametersOf(llvm::StringRef LinkageName);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_NAMES_H
