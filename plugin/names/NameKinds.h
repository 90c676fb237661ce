//===- NameKinds.h - what a function is, by its name ----------------------===//
//
// Ours, a library's, a destructor, a variant of another function: what its
// linkage name alone tells.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_NAMEKINDS_H
#define GPUMEMPROF_PLUGIN_NAMEKINDS_H

#include "llvm/ADT/StringRef.h"

namespace gpumemprof {

/// The name is in HarmlessNames.def: a library has a function of that name. The program may have
/// one, too.
bool isLibraryName(llvm::StringRef LinkageName);

/// The name in C of a function of our headers. These are static, so in C++ their linkage name
/// differs. For any other function the linkage name itself.
llvm::StringRef headerName(llvm::StringRef LinkageName);

/// The function is the profiler's own: its calls are neither instrumented nor followed.
bool isOurs(llvm::StringRef LinkageName);

/// The compiler's function that launches a kernel: by clang the kernel itself on the host, by nvcc
/// one that it calls.
bool isKernelStub(llvm::StringRef LinkageName);

/// Variants of one constructor ("C1", "C2") or destructor ("D0", "D1", "D2") and thunks that adjust
/// `this`: functions that exist at -O0 and vanish at -O2.
bool isVariantOf(llvm::StringRef LinkageName, llvm::StringRef Other);
bool isConstructor(llvm::StringRef LinkageName);
bool isDestructor(llvm::StringRef LinkageName);
bool isAdjustorThunk(llvm::StringRef LinkageName);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_NAMEKINDS_H
