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

/// A name of the C library that LLVM does not know (HarmlessNames.def). The program may have a
/// function of that name.
bool isLibraryName(llvm::StringRef LinkageName);

/// The name that a function of our headers has in C: as static functions they have another one in
/// C++. Of any other function its own.
llvm::StringRef headerName(llvm::StringRef LinkageName);

/// Calls of our own functions are neither instrumented nor followed.
bool isOurs(llvm::StringRef LinkageName);

/// "C1"/"C2" and "D0"/"D1"/"D2" of one constructor or destructor, this-adjusting
/// thunks: levels that exist at -O0 and vanish at -O2.
bool isVariantOf(llvm::StringRef LinkageName, llvm::StringRef Other);
bool isDestructor(llvm::StringRef LinkageName);
bool isAdjustorThunk(llvm::StringRef LinkageName);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_NAMES_H
