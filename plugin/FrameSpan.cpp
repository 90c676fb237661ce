//===- FrameSpan.cpp - where a function's frame begins and ends -----------===//
#include "FrameSpan.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

using Blocks = SmallPtrSet<BasicBlock *, 16>;

/// After the static allocas: the entry block will be split here, and they must stay in it.
Instruction *startOfEntry(BasicBlock &Entry) {
  SmallVector<AllocaInst *, 8> Late;
  Instruction *At = nullptr;
  for (Instruction &I : Entry) {
    auto *Alloca = dyn_cast<AllocaInst>(&I);
    bool Static = Alloca && isa<ConstantInt>(Alloca->getArraySize());
    if (!At && !Static) At = &I;
    if (At && Static) Late.push_back(Alloca);
  }
  for (AllocaInst *Alloca : Late) Alloca->moveBefore(Entry, At->getIterator());
  return At;
}

bool takesTime(const Instruction &I) {
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!Intrinsic) return isa<CallBase>(I);
  return !Intrinsic->isAssumeLikeIntrinsic() && Intrinsic->getIntrinsicID() != Intrinsic::expect;
}

/// The blocks from which an instruction that needs the frame can be reached.
Blocks blocksBefore(Function &F, function_ref<bool(const Instruction &)> Needs) {
  Blocks Result;
  SmallVector<BasicBlock *, 16> Work;
  for (BasicBlock &Block : F)
    if (any_of(Block, Needs) && Result.insert(&Block).second) Work.push_back(&Block);
  while (!Work.empty())
    for (BasicBlock *Before : predecessors(Work.pop_back_val()))
      if (Result.insert(Before).second) Work.push_back(Before);
  return Result;
}

/// Goes on from the entry as long as there is one way only to what needs the frame.
BasicBlock *latestBegin(Function &F, function_ref<bool(const Instruction &)> Needs) {
  Blocks Before = blocksBefore(F, Needs);
  BasicBlock *Begin = &F.getEntryBlock();
  for (;;) {
    if (any_of(*Begin, [&](const Instruction &I) { return Needs(I) || takesTime(I); }))
      return Begin;
    SmallSetVector<BasicBlock *, 4> Ways;
    for (BasicBlock *Next : successors(Begin))
      if (Before.contains(Next)) Ways.insert(Next);
    if (Ways.size() != 1 || Ways[0]->getUniquePredecessor() != Begin || Ways[0]->isEHPad())
      return Begin;
    Begin = Ways[0];
  }
}

/// What is reached without passing \p Begin. All other blocks are dominated by it.
Blocks blocksAround(Function &F, BasicBlock *Begin) {
  Blocks Result;
  Result.insert(&F.getEntryBlock());
  SmallVector<BasicBlock *, 16> Work{&F.getEntryBlock()};
  while (!Work.empty())
    for (BasicBlock *Next : successors(Work.pop_back_val()))
      if (Next != Begin && Result.insert(Next).second) Work.push_back(Next);
  return Result;
}

bool canSplit(const BasicBlock &From, const BasicBlock &To) {
  return !To.isEHPad() && !isa<IndirectBrInst>(From.getTerminator()) &&
         !isa<CallBrInst>(From.getTerminator());
}

} // namespace

FrameSpan wholeFunction(Function &F) {
  FrameSpan Span{startOfEntry(F.getEntryBlock()), {}};
  for (BasicBlock &Block : F)
    if (isa<ReturnInst>(Block.getTerminator())) Span.Ends.push_back(Block.getTerminator());
  return Span;
}

FrameSpan frameSpan(Function &F, function_ref<bool(const Instruction &)> Needs) {
  BasicBlock *Begin = latestBegin(F, Needs);
  if (Begin == &F.getEntryBlock()) return wholeFunction(F);
  Blocks Around = blocksAround(F, Begin);
  MapVector<BasicBlock *, SmallSetVector<BasicBlock *, 4>> Left; // block around -> ways to it
  FrameSpan Span{nullptr, {}};
  for (BasicBlock &Block : F) {
    if (Around.contains(&Block)) continue;
    if (isa<ReturnInst>(Block.getTerminator())) Span.Ends.push_back(Block.getTerminator());
    for (BasicBlock *Next : successors(&Block)) {
      if (!Around.contains(Next)) continue;
      if (!canSplit(Block, *Next)) return wholeFunction(F);
      Left[Next].insert(&Block);
    }
  }
  for (auto &[To, From] : Left)
    Span.Ends.push_back(
        SplitBlockPredecessors(To, From.getArrayRef(), ".gpumemprof.left")->getTerminator());
  Span.Begin = &*Begin->getFirstInsertionPt();
  return Span;
}

} // namespace gpumemprof
