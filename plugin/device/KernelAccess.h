//===- KernelAccess.h - what a kernel does with memory --------------------===//
//
// For each word of 8 bytes of its parameters, whether the kernel may read or write what the
// word points to, and whether it may touch memory that its parameters do not point to.
// Everything is "may": when in doubt a word is read, written and stored, and the kernel open.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_KERNELACCESS_H
#define GPUMEMPROF_PLUGIN_KERNELACCESS_H

#include "device/CallEffects.h"

#include "llvm/IR/Function.h"

#include <string>

namespace gpumemprof {

struct WordAccess {
  unsigned Parameter, Offset;
  unsigned How;  // a mask of AccessKind
  bool IsNumber; // by its type it is no pointer, and it is not used as one
};

struct KernelAccess {
  llvm::SmallVector<WordAccess, 16> Words;
  unsigned Reasons = 0; // why it is open, a mask of 1 << Reason; 0: it is closed
  std::string Name;     // of a function or an instruction, in the first of the reasons
};

KernelAccess accessOf(const llvm::Function &Kernel);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_KERNELACCESS_H
