//===- Accesses.h - what a device function does with memory ---------------===//
//
// Found on the untouched function: its accesses, joined where one check is enough, and
// whether it does anything that the compiler does not see.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_ACCESSES_H
#define GPUMEMPROF_PLUGIN_ACCESSES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace gpumemprof {

/// Accesses whose addresses differ by constants: the bytes from Base + From to Base + To, at most a
/// page. They are in a part of a block that runs from begin to end.
struct Access {
  llvm::Instruction *Begin;  // the first instruction of that part
  llvm::Instruction *Before; // the end of that part, where all of it is checked
  llvm::Value *Base;
  int64_t From, To;
  unsigned Bits;                 // GPUMEMPROF_PAGE_*
  bool InOnePage;                // by its size and alignment
  llvm::Value *Length = nullptr; // of a copy or fill; then From and To are not set
};

struct Accesses {
  llvm::SmallVector<Access, 16> Seen;
  bool Unseen = false; // something else may use memory, too
  llvm::SmallVector<const llvm::Function *, 8> Calls;
  bool CallsPointers = false;
};

Accesses accessesOf(llvm::Function &F);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ACCESSES_H
