//===- SiteStores.cpp - finds the site that the frame already has ---------===//
//
// A forward data flow over the blocks, whose state is the index of the site in
// f->call. Only the function itself writes that field, but setjmp may return with the
// site of a later call.
//
//===----------------------------------------------------------------------===//
#include "frames/SiteStores.h"

#include "abi/Emit.h"
#include "base/IRQueries.h"

#include "gpumemprof/hooks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr int Unknown = SiteStore::Unknown;
constexpr int NotSeen = -2; // no path to this block was followed yet

int meet(int A, int B) {
  return A == NotSeen ? B : B == NotSeen || A == B ? A : Unknown;
}

/// Copies of structures that a call passes by value precede it. A store to the frame between
/// such a copy and the call would keep the optimiser from passing the original, because it does not
/// know that the frame is no part of it.
Instruction *beforeCopies(const SiteStore &S) {
  Instruction *At = S.Before;
  for (Instruction *I = At->getPrevNode(); I; I = I->getPrevNode()) {
    bool Copies = isa<MemCpyInst>(I) && !cast<MemCpyInst>(I)->isVolatile();
    bool Passes = I->isLifetimeStartOrEnd() || I->isDebugOrPseudoInst() || isa<CastInst>(I) ||
                  isa<GetElementPtrInst>(I) || (isa<LoadInst>(I) && !I->isVolatile());
    if ((!Copies && !Passes) || is_contained(S.Operands, I)) break;
    if (Copies) At = I;
  }
  return At;
}

} // namespace

SiteStores::SiteStores(Function &F, SmallVector<SiteStore, 8> Planned, int First)
    : Stores(std::move(Planned)), Previous(Stores.size(), NotSeen) {
  DenseMap<const Instruction *, unsigned> StoreOf;
  for (unsigned I = 0; I < Stores.size(); ++I) StoreOf[Stores[I].Before] = I;
  DenseMap<const BasicBlock *, int> AtEntry;
  for (const BasicBlock &Block : F) AtEntry[&Block] = NotSeen;
  AtEntry[&F.getEntryBlock()] = First;
  SmallVector<const BasicBlock *, 16> Work{&F.getEntryBlock()};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    int State = AtEntry[Block];
    for (const Instruction &I : *Block) {
      if (auto It = StoreOf.find(&I); It != StoreOf.end()) {
        Previous[It->second] = State;
        State = Stores[It->second].Index;
      }
      auto *Call = dyn_cast<CallBase>(&I);
      if (Call && returnsTwice(*Call)) State = Unknown;
    }
    for (const BasicBlock *Next : successors(Block)) {
      int Merged = meet(AtEntry[Next], State);
      if (Merged == AtEntry[Next]) continue;
      AtEntry[Next] = Merged;
      Work.push_back(Next);
    }
  }
}

void SiteStores::emit(Value *Frame) const {
  for (unsigned I = 0; I < Stores.size(); ++I) {
    const SiteStore &S = Stores[I];
    IRBuilder<> B(beforeCopies(S));
    for (unsigned O = 0; O < S.Operands.size(); ++O)
      quiet(B.CreateStore(
          S.Operands[O],
          field(B, Frame, offsetof(gpumemprof_frame, operand) + O * sizeof(uint64_t))));
    bool Known = S.Index >= 0 && Previous[I] >= 0;
    if (Known && S.Index == Previous[I]) continue;
    Value *Field = field(B, Frame, offsetof(gpumemprof_frame, call));
    Value *Site = S.Site;
    if (Known && !S.Before->getFunction()->hasOptNone()) {
      Value *Now = quiet(B.CreateLoad(B.getPtrTy(), Field));
      int64_t Step = (S.Index - Previous[I]) * int64_t(sizeof(gpumemprof_site));
      Site = B.CreateConstGEP1_64(B.getInt8Ty(), Now, uint64_t(Step));
    }
    quiet(B.CreateStore(Site, Field));
  }
}

} // namespace gpumemprof
