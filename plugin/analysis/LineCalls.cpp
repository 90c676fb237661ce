//===- LineCalls.cpp - which calls move memory more than once? ------------===//
#include "analysis/LineCalls.h"

#include "analysis/CalleeFrames.h"
#include "analysis/Reachability.h"
#include "base/IRQueries.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// The name is in std:: or __gnu_cxx::. Such a function has no frame in any file.
bool isOfStandardLibrary(StringRef Name) {
  return Name.starts_with("_ZNS") || Name.starts_with("_ZNKS") || Name.starts_with("_ZS") ||
         Name.starts_with("_ZN9__gnu_cxx") || Name.starts_with("_ZNK9__gnu_cxx");
}

bool isInLoop(const BasicBlock &Block) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work{&Block};
  while (!Work.empty())
    for (const BasicBlock *Next : successors(Work.pop_back_val())) {
      if (Next == &Block) return true;
      if (Seen.insert(Next).second) Work.push_back(Next);
    }
  return false;
}

/// Only instructions that pass a result on are between \p I and a return.
bool returnsNext(const Instruction &I) {
  const Instruction *At = &I;
  for (unsigned Steps = 0; Steps < 64; ++Steps) {
    if (isa<ReturnInst>(At)) return true;
    if (auto *Call = dyn_cast<CallBase>(At)) {
      auto *Intrinsic = dyn_cast<IntrinsicInst>(Call);
      if (!Intrinsic || !Intrinsic->isAssumeLikeIntrinsic()) return false;
    }
    if (!At->isTerminator()) {
      At = At->getNextNode();
      continue;
    }
    const BasicBlock *Next = At->getParent()->getSingleSuccessor();
    if (!Next || isa<InvokeInst>(At)) return false;
    At = &Next->front();
  }
  return false;
}

} // namespace

LineCalls::Moves LineCalls::movesOf(const CallBase &Call, bool InSystem) {
  if (!Reach.mayMove(Call)) return Never;
  if (Reach.callsBack(Call)) return Often; // qsort and similar ones
  const Function *Callee = Reach.entered(Call);
  if (Callee) return HasFrame(*Callee) ? Once : movesOf(*Callee);
  auto *Named = calleeOf(Call);
  if (!Named) return InSystem || !UnknownHaveFrames ? Often : Once;
  if (Named->isIntrinsic()) return Often; // it resumes a coroutine, which may resume others
  if (Reach.isTable(Call)) return Once;
  return isOfStandardLibrary(Named->getName()) || !UnknownHaveFrames ? Often : Once;
}

LineCalls::Moves LineCalls::movesOf(const Function &F) {
  auto [It, New] = Known.try_emplace(&F, Often);
  if (!New) return It->second;
  Moves Sum = Never;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    Moves One = Call ? movesOf(*Call, /*InSystem=*/true) : Never;
    if (One == Never) continue;
    bool More = Sum != Never || One == Often || isInLoop(*Call->getParent());
    Sum = More ? Often : Once;
    if (More) break;
  }
  return Known[&F] = Sum;
}

bool LineCalls::spans(const CallBase &Call) {
  if (Call.doesNotReturn() || isa<CallBrInst>(Call)) return false;
  const Function *Callee = Reach.entered(Call);
  if (!Reach.mayTake(Call)) return false; // it needs no memory, however often it frees
  // A recursion in return position is many activations one after the other, but one call of this
  // line.
  if (Callee && HasFrame(*Callee))
    return Callees.endsEarly(*Callee) && !Reach.isRecursive(*Call.getFunction(), *Callee);
  return movesOf(Call, /*InSystem=*/false) == Often;
}

Instruction *behindCall(CallBase &Call) {
  Instruction *Next;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    BasicBlock *Normal = Invoke->getNormalDest();
    if (!Normal->getUniquePredecessor()) Normal = SplitEdge(Invoke->getParent(), Normal);
    Next = &*Normal->getFirstInsertionPt();
  } else {
    Next = Call.getNextNode();
  }
  return isa<UnreachableInst>(Next) || returnsNext(*Next) ? nullptr : Next;
}

} // namespace gpumemprof
