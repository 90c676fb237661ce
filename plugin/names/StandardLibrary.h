//===- StandardLibrary.h - functions that a library has compiled itself ---===//
//
// Which names are those of the C, C++ and CUDA libraries. Every answer is exact:
// a C function by its whole name, a C++ one by every name that its demangled form
// holds. A template over a type of the program's own is the program's, whatever
// namespace it stands in.
//
// HarmlessCalls and Assumptions ask.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_STANDARDLIBRARY_H
#define GPUMEMPROF_PLUGIN_STANDARDLIBRARY_H

#include "llvm/ADT/StringRef.h"

namespace gpumemprof {

enum class StandardFunction {
  None,  // not of the list
  Plain, // calls nothing of the program
  Stream // may call virtual functions of stream buffers and facets
};

/// \p Mangled is a function of StandardNames.def over built-in types and types of that list.
StandardFunction standardFunction(llvm::StringRef Mangled);

/// The same of a class, by the type's mangled name without its prefix: of _ZTI10CountingBuf,
/// "10CountingBuf".
StandardFunction standardClass(llvm::StringRef MangledType);

/// A form of the global operator new or delete. They call each other.
bool isOperatorNewOrDelete(llvm::StringRef Mangled);

/// A symbol of the CUDA runtime or driver (CudaFunctions.def).
bool isCudaFunction(llvm::StringRef Symbol);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_STANDARDLIBRARY_H
