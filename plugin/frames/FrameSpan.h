//===- FrameSpan.h - where a function's frame begins and ends -------------===//
//
// A frame must be open before the first call that may move memory. Paths through the
// function without such a call need no frame, so that `if (n <= room) return;` costs
// nothing: the frame begins in the block through which all those calls are reached.
// It begins earlier where time may pass before that block, because its entry clock is
// the function's.
//
// A call in return position ends the frame itself (ReturnPosition.h). Code that ends
// a frame after it would keep the optimiser from turning the call into a jump, so the
// blocks that only pass results on are outside of the span. Where control enters them
// from another block, the frame ends on the edge.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_FRAMESPAN_H
#define GPUMEMPROF_PLUGIN_FRAMESPAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class CallInst;
class Function;
class Instruction;
} // namespace llvm

namespace gpumemprof {

/// A call before which the activation ends.
struct EarlyEnd {
  llvm::CallInst *Call;
  llvm::SmallVector<llvm::BasicBlock *, 4> Way; // of wayToReturn(); empty for musttail
};

struct FrameSpan {
  llvm::Instruction *Begin;                       // the frame is pushed before it
  llvm::SmallVector<llvm::Instruction *, 4> Ends; // and it is popped before these,
  llvm::SmallPtrSet<llvm::CallInst *, 4> Flagged; // unless one of these calls has ended it before
};

/// The span of a frame that must be open at all instructions for which \p Needs is true, and that
/// the calls of \p Early end. May split edges. Static allocas are moved before Begin.
FrameSpan frameSpan(llvm::Function &F, llvm::function_ref<bool(const llvm::Instruction &)> Needs,
                    llvm::ArrayRef<EarlyEnd> Early);

/// The span from the first instruction on.
FrameSpan wholeFunction(llvm::Function &F, llvm::ArrayRef<EarlyEnd> Early = {});

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_FRAMESPAN_H
