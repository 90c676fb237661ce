//===- ReturnPosition.cpp - follow a call's result to the return ----------===//
//
// At PipelineStart code is as clang wrote it: results go through memory, returns
// share one block, and at -O2 clean-ups choose the next block by a constant in a
// variable. The walk follows the only path and gives up at any instruction that does
// more than pass the result on, so that the answer is the same at -O0 and -O2.
//
// Two kinds of facts are collected. Constants decide which path is followed, so they
// must be exact: they are known only of variables that mem2reg could promote, which
// only whole loads and stores can reach. Results only distinguish a call whose result
// is passed on from one that is followed by other work; no code is made from them, so
// an offset within a variable need not be exact.
//
//===----------------------------------------------------------------------===//
#include "analysis/ReturnPosition.h"

#include "base/IRQueries.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace gpumemprof {
namespace {

class Walk {
public:
  bool reachesReturn(CallInst &Call, SmallVectorImpl<BasicBlock *> &Way) {
    Results.insert(&Call);
    BasicBlock *Block = Call.getParent();
    BasicBlock::iterator I = std::next(Call.getIterator());
    SmallPtrSet<BasicBlock *, 8> Seen;
    while (true) {
      for (; !I->isTerminator(); ++I)
        if (!step(*I)) return false;
      if (auto *Return = dyn_cast<ReturnInst>(&*I)) {
        Value *V = Return->getReturnValue();
        return !V || isResult(V);
      }
      BasicBlock *Next = successor(*I);
      if (!Next || !Seen.insert(Next).second || !takePhis(*Next, *Block)) return false;
      Way.push_back(Next);
      Block = Next;
      I = behindPhis(*Block).getIterator();
    }
  }

private:
  /// The local variable that \p Pointer points into, at any offset. This is exact enough for
  /// results.
  static AllocaInst *slot(Value *Pointer) {
    return dyn_cast<AllocaInst>(Pointer->stripInBoundsConstantOffsets());
  }

  /// A variable that holds exactly what was stored last: it is only loaded and stored whole, so no
  /// store of another width or through another pointer can reach it.
  static AllocaInst *exactSlot(Value *Pointer) {
    auto *Alloca = dyn_cast<AllocaInst>(Pointer);
    return Alloca && isAllocaPromotable(Alloca) ? Alloca : nullptr;
  }

  bool isResult(Value *V) const { return Results.contains(V); }
  ConstantInt *constant(Value *V) const {
    auto It = Constants.find(V);
    return It != Constants.end() ? It->second : dyn_cast<ConstantInt>(V);
  }

  bool step(Instruction &I) {
    if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I)) {
      if (Intrinsic->isAssumeLikeIntrinsic()) return true; // lifetime.end, dbg.*
      auto *Copy = dyn_cast<MemCpyInst>(&I);
      if (!Copy) return false;
      AllocaInst *To = slot(Copy->getDest()), *From = slot(Copy->getSource());
      if (!To || !From || !Results.contains(From)) return false;
      Results.insert(To);
    } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      return !Store->isVolatile() && stepStore(*Store);
    } else if (auto *Load = dyn_cast<LoadInst>(&I)) {
      return !Load->isVolatile() && stepLoad(*Load);
    } else if (isa<GetElementPtrInst>(I)) {
      if (!slot(&I)) return false;
    } else if (ConstantInt *C = isBoolInMemory(I) ? constant(I.getOperand(0)) : nullptr) {
      unsigned Bits = I.getType()->getIntegerBitWidth();
      Constants[&I] = ConstantInt::get(I.getContext(), C->getValue().zextOrTrunc(Bits));
    } else if (isa<ExtractValueInst>(I) || isa<InsertValueInst>(I) || isBoolInMemory(I)) {
      // insertvalue: the value put in is the one that comes from the call.
      if (!isResult(I.getOperand(isa<InsertValueInst>(I) ? 1 : 0))) return false;
      Results.insert(&I);
    } else {
      return false;
    }
    return true;
  }

  bool stepStore(StoreInst &Store) {
    AllocaInst *To = slot(Store.getPointerOperand());
    Value *V = Store.getValueOperand();
    if (To && isResult(V)) {
      Results.insert(To);
      Constants.erase(To);
      return true;
    }
    AllocaInst *Exact = exactSlot(Store.getPointerOperand());
    ConstantInt *C = constant(V);
    if (!Exact || !C) return false;
    Constants[Exact] = C;
    Results.erase(Exact);
    return true;
  }

  bool stepLoad(LoadInst &Load) {
    AllocaInst *Exact = exactSlot(Load.getPointerOperand());
    if (ConstantInt *C = Exact ? Constants.lookup(Exact) : nullptr) {
      Constants[&Load] = C;
      return true;
    }
    AllocaInst *From = slot(Load.getPointerOperand());
    if (!From || !isResult(From)) return false;
    Results.insert(&Load);
    return true;
  }

  static bool isBoolInMemory(Instruction &I) {
    if (isa<ZExtInst>(I)) return I.getOperand(0)->getType()->isIntegerTy(1);
    return isa<TruncInst>(I) && I.getType()->isIntegerTy(1);
  }

  BasicBlock *successor(Instruction &Terminator) {
    if (auto *Branch = dyn_cast<BranchInst>(&Terminator)) {
      if (Branch->isUnconditional()) return Branch->getSuccessor(0);
      ConstantInt *C = constant(Branch->getCondition());
      return C ? Branch->getSuccessor(C->isZero() ? 1 : 0) : nullptr;
    }
    if (auto *Switch = dyn_cast<SwitchInst>(&Terminator))
      if (ConstantInt *C = constant(Switch->getCondition()))
        return Switch->findCaseValue(C)->getCaseSuccessor();
    return nullptr;
  }

  bool takePhis(BasicBlock &Next, BasicBlock &From) {
    for (PHINode &Phi : Next.phis()) {
      Value *V = Phi.getIncomingValueForBlock(&From);
      if (isResult(V)) Results.insert(&Phi);
      else if (ConstantInt *C = constant(V)) Constants[&Phi] = C;
      else return false;
    }
    return true;
  }

  SmallPtrSet<Value *, 8> Results;            // values and variables that hold the call's result
  DenseMap<Value *, ConstantInt *> Constants; // values and exact variables
};

} // namespace

std::optional<SmallVector<BasicBlock *, 4>> wayToReturn(CallInst &Call) {
  SmallVector<BasicBlock *, 4> Way;
  if (!Walk().reachesReturn(Call, Way)) return std::nullopt;
  return Way;
}

} // namespace gpumemprof
