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

/// Names of Thrust and CUB are without the inline namespace of their version and device,
/// "thrust::THRUST_300001_SM_900_NS::sort", which differs between builds of one source.
std::string displayName(const llvm::Function &F);
std::string displayName(llvm::StringRef LinkageName);

/// The base name of a constructor or destructor ("Buffer", "~Buffer"), else "".
std::string structorName(llvm::StringRef LinkageName);

/// A name or a type without those inline namespaces.
std::string withoutVersions(std::string Name);

/// The class of a method ("ns::Matrix<float>"), and the types of a function's parameters
/// ("(int, Shape)"); "" if there is none.
std::string classOf(llvm::StringRef LinkageName);
std::string parametersOf(llvm::StringRef LinkageName);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_NAMES_H
