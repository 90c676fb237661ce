//===- FrameSpan.cpp - finds the latest begin and the ends of a frame -----===//
#include "frames/FrameSpan.h"

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

/// The first instruction after the static allocas. The entry block will be split here, and they
/// must stay in it, so those that come later are moved.
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

/// The last block, from the entry on, through which every path to an instruction that needs the
/// frame goes.
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

/// The blocks that are reached without passing \p Begin. It dominates all other blocks.
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

/// The blocks on the ways of \p Early from which no other blocks are reached. They only pass
/// results on, so they need no frame. Blocks that are left out are at the beginning of a way.
Blocks blocksOfWays(ArrayRef<EarlyEnd> Early) {
  Blocks Result;
  auto Holds = [&](BasicBlock *Block) { return Result.contains(Block); };
  auto CanBeEntered = [](BasicBlock *To) {
    return all_of(predecessors(To), [&](BasicBlock *From) { return canSplit(*From, *To); });
  };
  for (const EarlyEnd &E : Early)
    for (BasicBlock *Block : reverse(E.Way))
      if (all_of(successors(Block), Holds) && CanBeEntered(Block)) Result.insert(Block);
  return Result;
}

/// Finds the ends of a frame that the blocks of \p Outside do not need. False if an edge on which
/// it must end cannot be split.
bool findEnds(Function &F, const Blocks &Outside, ArrayRef<EarlyEnd> Early, FrameSpan &Span) {
  Blocks EndedItself; // the call ends the frame, and nothing after it belongs to the span
  for (const EarlyEnd &E : Early)
    if (E.Way.empty() || Outside.contains(E.Way.front())) EndedItself.insert(E.Call->getParent());
    else Span.Flagged.insert(E.Call);
  MapVector<BasicBlock *, SmallSetVector<BasicBlock *, 4>> Left; // block outside -> ways to it
  for (BasicBlock &Block : F) {
    if (Outside.contains(&Block) || EndedItself.contains(&Block)) continue;
    if (isa<ReturnInst>(Block.getTerminator())) Span.Ends.push_back(Block.getTerminator());
    for (BasicBlock *Next : successors(&Block)) {
      if (!Outside.contains(Next)) continue;
      if (!canSplit(Block, *Next)) return false;
      Left[Next].insert(&Block);
    }
  }
  for (auto &[To, From] : Left)
    Span.Ends.push_back(
        SplitBlockPredecessors(To, From.getArrayRef(), ".gpumemprof.left")->getTerminator());
  return true;
}

} // namespace

FrameSpan wholeFunction(Function &F, ArrayRef<EarlyEnd> Early) {
  FrameSpan Span{startOfEntry(F.getEntryBlock()), {}, {}};
  findEnds(F, blocksOfWays(Early), Early, Span); // cannot fail: these edges can be split
  return Span;
}

FrameSpan frameSpan(Function &F, function_ref<bool(const Instruction &)> Needs,
                    ArrayRef<EarlyEnd> Early) {
  BasicBlock *Begin = latestBegin(F, Needs);
  if (Begin == &F.getEntryBlock()) return wholeFunction(F, Early);
  Blocks Outside = blocksAround(F, Begin);
  for (BasicBlock *Block : blocksOfWays(Early)) Outside.insert(Block);
  FrameSpan Span{nullptr, {}, {}};
  if (!findEnds(F, Outside, Early, Span)) return wholeFunction(F, Early);
  Span.Begin = &*Begin->getFirstInsertionPt();
  return Span;
}

} // namespace gpumemprof
