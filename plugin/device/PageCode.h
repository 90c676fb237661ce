//===- PageCode.h - the functions that device code calls to mark pages ----===//
//
// They are IR of our own, as text, that is linked into a module for a device.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_PAGECODE_H
#define GPUMEMPROF_PLUGIN_PAGECODE_H

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace gpumemprof {

struct PageCode {
  llvm::GlobalVariable *Pages; // struct gpumemprof_pages
  llvm::Function *Range;       // (address, length, bits): marks the pages of a copy
  llvm::Function *Stride;      // (first, last, step, count, bits): marks the pages of a loop
  bool Together;               // threads of a warp share the work
};

/// \p Together: the device has what threads of a warp need to share the work (sm_80).
PageCode addPageCode(llvm::Module &M, bool Together);
/// Removes those that nothing calls.
void removeUnused(llvm::Module &M);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_PAGECODE_H
