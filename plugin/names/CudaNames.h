//===- CudaNames.h - which functions are the CUDA API ---------------------===//
//
// The names of cuda_api.def and the rule for all the others. Symbols are what
// the IR calls ("cuMemAlloc_v2"), spellings what the source says ("cuMemAlloc").
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_CUDANAMES_H
#define GPUMEMPROF_PLUGIN_CUDANAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace gpumemprof {

/// When the runtime is called for a call.
enum class CudaHooks {
  After,
  Around,       // before and after it
  Free,         // before it, and again when it failed
  AfterNoResult // it returns nothing
};

struct CudaEntry {
  llvm::StringLiteral Symbol; // or one of hookName
  unsigned Parameters;
  CudaHooks Hooks;
  bool Allocates; // after the call its arguments describe an allocation
};

/// Every entry point that gets a thunk. Those that return nothing are called by start-up code only.
llvm::ArrayRef<CudaEntry> cudaEntries();

struct CudaUse {
  llvm::StringLiteral Symbol; // or one of hookName
  unsigned Parameters;
  bool After; // the runtime is called after the call, and always
};

/// Every function of cuda_uses.def.
llvm::ArrayRef<CudaUse> cudaUses();

/// What the hooks of a function are named after, which is declared with so many parameters: NAME,
/// or NAME_12 where it has the parameters that it has in CUDA 12 (cuda12.def).
std::string hookName(llvm::StringRef Symbol, unsigned Parameters);

/// \p Symbol is one of them.
bool isCudaUse(llvm::StringRef Symbol);

/// \p Symbol is an entry that programs call.
bool isCudaEntry(llvm::StringRef Symbol);

/// \p Symbol is an entry that frees and does nothing else.
bool isCudaFree(llvm::StringRef Symbol);

/// \p Symbol allocates or frees, and calls no function of the program, as a launch of a graph may.
bool runsNoCodeOfProgram(llvm::StringRef Symbol);

/// True for "cudaMemcpy", "cuCtxGetCurrent", "__cudaRegisterFunction"; false for
/// "cublasCreate_v2", which may allocate.
bool looksLikeCudaApi(llvm::StringRef Symbol);

/// The symbol without the suffix that CUDA's headers add by a macro.
llvm::StringRef cudaSpelling(llvm::StringRef Symbol);

/// True for the names by which a source calls an allocation.
bool isAllocationSpelling(llvm::StringRef Name);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_CUDANAMES_H
