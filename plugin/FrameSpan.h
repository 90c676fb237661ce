//===- FrameSpan.h - where a function's frame begins and ends -------------===//
//
// A frame must be there before the first call that may move memory. Ways through
// the function without such a call need none, so that `if (n <= room) return;`
// costs nothing: the frame begins in the block through which all those calls are
// reached. Not where time may pass before it: its entry clock is the function's.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_FRAMESPAN_H
#define GPUMEMPROF_PLUGIN_FRAMESPAN_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace gpumemprof {

struct FrameSpan {
  llvm::Instruction *Begin;                       // the frame is pushed before it
  llvm::SmallVector<llvm::Instruction *, 4> Ends; // and popped before these
};

/// For a frame that all instructions of \p F need for which \p Needs is true. May split edges.
/// Static allocas are moved before Begin.
FrameSpan frameSpan(llvm::Function &F, llvm::function_ref<bool(const llvm::Instruction &)> Needs);

/// From the first instruction to the returns.
FrameSpan wholeFunction(llvm::Function &F);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_FRAMESPAN_H
