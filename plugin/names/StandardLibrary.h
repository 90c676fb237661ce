//===- StandardLibrary.h - functions that libraries bring compiled --------===//
//
// Tells which names belong to the C++ and CUDA libraries. Every answer is exact: a C
// function is recognised by its whole name, a C++ function by every name in its
// demangled form. A template over a type of the program is the program's, whatever
// its namespace is.
//
// HarmlessCalls and Assumptions ask here.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_STANDARDLIBRARY_H
#define GPUMEMPROF_PLUGIN_STANDARDLIBRARY_H

#include "llvm/ADT/StringRef.h"

namespace gpumemprof {

enum class StandardFunction {
  None,  // the list does not have it
  Plain, // calls nothing of the program
  Stream // may call virtual functions of stream buffers and facets
};

/// Whether \p Mangled is a function of StandardNames.def over built-in types and types of that
/// list.
StandardFunction standardFunction(llvm::StringRef Mangled);

/// The same for a class. \p MangledType is the type's mangled name without the prefix:
/// "10CountingBuf" for _ZTI10CountingBuf.
StandardFunction standardClass(llvm::StringRef MangledType);

/// \p Mangled is a form of the global operator new or delete. These call each other.
bool isOperatorNewOrDelete(llvm::StringRef Mangled);

/// A symbol of the CUDA runtime or driver (CudaFunctions.def).
bool isCudaFunction(llvm::StringRef Symbol);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_STANDARDLIBRARY_H
