//===- FrameInserter.h - the inline code of hooks.h -----------------------===//
//
// Inserts into one function the code that the head of hooks.h describes: enter, call,
// exit, catch. Enter and exit are inline, or calls of two hidden functions that hold
// the same code once per object. Which functions and calls get code is decided by
// Pass.cpp and Coroutines.cpp, not here.
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
  bool OutOfLine = false; // where code size and compile time matter more than two nanoseconds
  llvm::SmallVector<SiteStore, 8> Sites;
  /// Calls that end the activation: musttail calls, and calls after which the function only returns
  /// (ReturnPosition.h).
  llvm::SmallVector<EarlyEnd, 4> PopBefore;
  llvm::SmallVector<llvm::Instruction *, 4> ComesBackAfter;  // see comesBackAfter()
  llvm::SmallVector<llvm::Instruction *, 4> CallEndedBefore; // see LineCalls.h
  bool HasLineCalls = false;                                 // even if CallEndedBefore is empty
};

/// The instructions after which control is back in \p F although frames above it are still open:
/// calls of setjmp, and the landing pads for which \p Matters is true.
llvm::SmallVector<llvm::Instruction *, 4>
comesBackAfter(llvm::Function &F, llvm::function_ref<bool(const llvm::LandingPadInst &)> Matters);

class FrameInserter {
public:
  FrameInserter(llvm::Function &F, RuntimeABI &ABI);

  void insert(const FramePlan &Plan);

  /// For a function without a frame of its own: restores its caller's frame after these
  /// instructions, so that what it frees then is not attributed to frames that have ended.
  void guard(llvm::ArrayRef<llvm::Instruction *> ComesBackAfter);

private:
  static llvm::DebugLoc exitLocation(const llvm::Instruction &I, llvm::DebugLoc Otherwise);
  static llvm::Instruction *behind(llvm::Instruction *I);
  static bool endsAtResumes(const FramePlan &Plan);
  FrameSpan spanOf(const FramePlan &Plan);
  void enter(const FramePlan &Plan, llvm::Instruction *At);
  void enterInline(llvm::Instruction *At, llvm::Value *Scope);
  void fill(llvm::IRBuilder<> &B, llvm::Value *Scope, llvm::Value *StackAddress);
  void storeEntry(llvm::IRBuilder<> &B);
  void exitBefore(llvm::Instruction *I);
  void createHasEnded(llvm::Instruction *Begin);
  void storeHasEnded(llvm::CallInst *Call);
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
  llvm::AllocaInst *HasEnded = nullptr;  // a local bool of F; null where no exit tests it
  llvm::AllocaInst *BlocksEnd = nullptr; // a local variable of F; null where it opens no block
  bool IsHelper = false;                 // F is enterFunction() or exitFunction()
  bool OutOfLine = false;                // F calls these two
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_FRAMEINSERTER_H
