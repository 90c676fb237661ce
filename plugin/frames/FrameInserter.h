//===- FrameInserter.h - the inline code of hooks.h -----------------------===//
//
// Writes into one function what the head of hooks.h says: enter, call, exit,
// catch. Enter and exit come inline, or as calls of two hidden functions that hold
// the same code once per object. Knows nothing of which functions and calls deserve
// it; Pass.cpp and Coroutines.cpp decide that.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_FRAMEINSERTER_H
#define GPUMEMPROF_PLUGIN_FRAMEINSERTER_H

#include "frames/FrameSpan.h"
#include "frames/SiteStores.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace gpumemprof {

class RuntimeABI;

struct FramePlan {
  llvm::Constant *Scope = nullptr;
  bool Profiled = false;
  bool OutOfLine = false; // size and time to compile are worth more than two nanoseconds
  llvm::SmallVector<SiteStore, 8> Sites;
  /// Calls that end the activation: musttail calls, and calls after which the function does nothing
  /// but return (ReturnPosition.h).
  llvm::SmallVector<EarlyEnd, 4> PopBefore;
  llvm::SmallVector<llvm::Instruction *, 4> ComesBackAfter;  // see comesBackAfter()
  llvm::SmallVector<llvm::Instruction *, 4> CallEndedBefore; // see LineCalls.h
  bool HasLineCalls = false;                                 // even if CallEndedBefore is empty
};

/// The instructions after which control is back in \p F although frames above it did not end: calls
/// of setjmp, and the landing pads that \p Matters picks.
llvm::SmallVector<llvm::Instruction *, 4>
comesBackAfter(llvm::Function &F, llvm::function_ref<bool(const llvm::LandingPadInst &)> Matters);

class FrameInserter {
public:
  FrameInserter(llvm::Function &F, RuntimeABI &ABI);

  void insert(const FramePlan &Plan);

  /// For a function without a frame of its own: puts its caller's frame back at these places, so
  /// that what it frees then is not charged to frames long gone.
  void guard(llvm::ArrayRef<llvm::Instruction *> ComesBackAfter);

private:
  FrameSpan spanOf(const FramePlan &Plan);
  void enter(const FramePlan &Plan, llvm::Instruction *At);
  void enterInline(llvm::Instruction *At, llvm::Value *Scope);
  void fill(llvm::IRBuilder<> &B, llvm::Value *Scope, llvm::Value *StackAddress);
  void storeEntry(llvm::IRBuilder<> &B);
  void exitBefore(llvm::Instruction *I);
  void createHasEnded(llvm::Instruction *Begin);
  void noteThatItEnded(llvm::CallInst *Call);
  void exitUnlessEndedBefore(llvm::Instruction *I);
  void exitInline(llvm::Instruction *I);
  llvm::Function *enterFunction();
  llvm::Function *exitFunction();
  void createBlocksEnd(llvm::Value *First, llvm::Instruction *Begin);
  llvm::Value *endAt(llvm::Instruction *I);
  void unwindAfter(llvm::Instruction *I, bool HasLineCalls);
  llvm::Value *machineStack(llvm::IRBuilder<> &B);

  llvm::Function &F;
  RuntimeABI &ABI;
  llvm::DebugLoc EntryLoc;
  llvm::Value *Frame = nullptr;
  llvm::AllocaInst *HasEnded = nullptr;  // a local bool of F; null where no exit has to ask
  llvm::AllocaInst *BlocksEnd = nullptr; // a local variable of F; null where it opens no block
  bool IsHelper = false;                 // F is enterFunction() or exitFunction()
  bool OutOfLine = false;                // call them
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_FRAMEINSERTER_H
