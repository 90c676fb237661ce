//===- FrameUnwinding.cpp - restores frames after longjmp and exceptions --===//
//
// The part of FrameInserter for control that comes back to a function although the
// functions above it did not return: their frames are still open and have to end, but
// those of blocks that the function itself opened have to stay.
//
//===----------------------------------------------------------------------===//
#include "frames/FrameInserter.h"

#include "abi/Emit.h"
#include "abi/RuntimeABI.h"
#include "base/IRQueries.h"
#include "names/NameKinds.h"

#include "gpumemprof/hooks.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// The call may open or close a block of the function: it is of our headers or of a class of
/// gpumemprof.hpp.
bool mayMoveTop(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee) return false;
  StringRef Name = headerName(Callee->getName());
  return Name.starts_with("gpumemprof_scope_") || Name.starts_with("gpumemprof_context_") ||
         Name.starts_with("_ZN10gpumemprof");
}

} // namespace

/// The first instruction that runs when control is back after \p I.
Instruction *FrameInserter::behind(Instruction *I) {
  auto *Invoke = dyn_cast<InvokeInst>(I);
  return Invoke ? &*Invoke->getNormalDest()->getFirstInsertionPt() : &*std::next(I->getIterator());
}

/// Where control comes back, the blocks that the function had opened before are still open, and
/// their frames are above its own. A local variable holds the end of these frames. The function
/// itself calls whatever opens or closes a block, so after such a call the thread's top is that
/// end.
void FrameInserter::createBlocksEnd(Value *First, Instruction *Begin) {
  SmallVector<CallBase *, 4> Moves;
  for (Instruction &I : instructions(F))
    if (mayMoveTop(I)) Moves.push_back(cast<CallBase>(&I));
  if (Moves.empty()) return;
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  BlocksEnd = B.CreateAlloca(ABI.pointer(), nullptr, "gpumemprof.blocks_end");
  quiet(
      B.CreateStore(Constant::getNullValue(ABI.pointer()), BlocksEnd)); // where F has no frame yet
  B.SetInsertPoint(Begin);
  B.SetCurrentDebugLocation(EntryLoc);
  quiet(B.CreateStore(First, BlocksEnd));
  for (CallBase *Call : Moves) {
    auto *Invoke = dyn_cast<InvokeInst>(Call);
    if (Call->isTerminator() && !Invoke) continue;
    B.SetInsertPoint(Invoke ? &*Invoke->getNormalDest()->getFirstInsertionPt()
                            : &*std::next(Call->getIterator()));
    B.SetCurrentDebugLocation(exitLocation(*Call, EntryLoc));
    Value *Now = quiet(B.CreateLoad(ABI.pointer(), ABI.reloadedStack(B)));
    quiet(B.CreateStore(Now, BlocksEnd));
  }
}

SmallVector<Instruction *, 4> comesBackAfter(Function &F,
                                             function_ref<bool(const LandingPadInst &)> Matters) {
  SmallVector<Instruction *, 4> Result;
  for (Instruction &I : instructions(F)) {
    auto *Pad = dyn_cast<LandingPadInst>(&I);
    auto *Call = dyn_cast<CallBase>(&I);
    if (Pad ? Matters(*Pad) : Call && !isa<CallBrInst>(Call) && returnsTwice(*Call))
      Result.push_back(&I);
  }
  for (Instruction *I : Result)
    if (auto *Invoke = dyn_cast<InvokeInst>(I);
        Invoke && !Invoke->getNormalDest()->getUniquePredecessor())
      SplitEdge(Invoke->getParent(), Invoke->getNormalDest());
  return Result;
}

/// The end of the frames of open blocks after \p I, where control comes back. For a call that
/// returns a second time, these are the blocks that were open when the call was made, so the
/// variable is read before it.
Value *FrameInserter::endAt(Instruction *I) {
  if (!BlocksEnd) return nullptr;
  IRBuilder<> B(I->getParent(), isa<CallBase>(I) ? I->getIterator() : std::next(I->getIterator()));
  B.SetCurrentDebugLocation(exitLocation(*I, EntryLoc));
  Value *End = quiet(B.CreateLoad(ABI.pointer(), BlocksEnd));
  if (!isa<CallBase>(I)) return End;
  B.SetInsertPoint(behind(I));
  B.SetCurrentDebugLocation(exitLocation(*I, EntryLoc));
  quiet(B.CreateStore(End, BlocksEnd));
  return End;
}

void FrameInserter::unwindAfter(Instruction *I, bool HasLineCalls) {
  Instruction *Next = behind(I);
  Value *End = endAt(I);
  IRBuilder<> B(Next);
  B.SetCurrentDebugLocation(exitLocation(*I, EntryLoc));
  ABI.callUnwind(B, Frame, HasLineCalls, End);
}

void FrameInserter::guard(ArrayRef<Instruction *> ComesBackAfter) {
  if (ComesBackAfter.empty()) return;
  Instruction *Begin = wholeFunction(F).Begin;
  IRBuilder<> B(Begin);
  B.SetCurrentDebugLocation(EntryLoc);
  Value *StackAddress = ABI.stack(B);
  Value *Entry = quiet(B.CreateLoad(ABI.pointer(), StackAddress));
  createBlocksEnd(Entry, Begin);
  for (Instruction *I : ComesBackAfter) {
    // A thread that had no shadow stack at entry has no frame to restore.
    Instruction *Next = behind(I);
    DebugLoc Where = exitLocation(*I, EntryLoc);
    B.SetInsertPoint(Next);
    B.SetCurrentDebugLocation(Where);
    Value *Caller =
        B.CreateConstGEP1_64(B.getInt8Ty(), Entry, uint64_t(-int64_t(sizeof(gpumemprof_frame))));
    Value *End = endAt(I);
    Instruction *Then = SplitBlockAndInsertIfThen(B.CreateIsNotNull(Entry), Next, false);
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(Where);
    ABI.callUnwind(B, Caller, false, End);
  }
}

} // namespace gpumemprof
