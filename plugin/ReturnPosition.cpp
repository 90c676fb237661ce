//===- ReturnPosition.cpp - follow a call's result to the return ----------===//
//
// At PipelineStart code is as clang wrote it: results go through memory, returns
// share one block, and at -O2 clean-ups choose their way by a constant in a slot.
// The walk follows the one way on, knows which slots hold the result or a known
// constant, and gives up at anything that is not just handing on. So the answer
// is the same at -O0 and -O2.
//
//===----------------------------------------------------------------------===//
#include "ReturnPosition.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace gpumemprof {
namespace {

class Walk {
public:
  explicit Walk(CallInst &Call) : Call(Call) { Results.insert(&Call); }

  bool reachesReturn() {
    BasicBlock *Block = Call.getParent();
    BasicBlock::iterator I = std::next(Call.getIterator());
    SmallPtrSet<BasicBlock *, 8> Seen;
    while (true) {
      for (; !I->isTerminator(); ++I)
        if (!step(*I)) return false;
      if (isa<ReturnInst>(*I)) return finish(cast<ReturnInst>(*I));
      BasicBlock *Next = successor(*I);
      if (!Next || !Seen.insert(Next).second || !takePhis(*Next, *Block)) return false;
      Block = Next;
      I = Block->getFirstNonPHIIt();
    }
  }

  /// What runs between the call and the return, the return last.
  ArrayRef<Instruction *> path() const { return Path; }
  /// What a phi on the path stands for.
  Value *incoming(PHINode *Phi) const { return Incoming.lookup(Phi); }

private:
  static AllocaInst *slot(Value *Pointer) {
    return dyn_cast<AllocaInst>(Pointer->stripInBoundsConstantOffsets());
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
      AllocaInst *To = slot(Store->getPointerOperand());
      Value *V = Store->getValueOperand();
      if (!To || Store->isVolatile()) return false;
      if (isResult(V)) Results.insert(To);
      else if (ConstantInt *C = constant(V)) Constants[To] = C;
      else return false;
    } else if (auto *Load = dyn_cast<LoadInst>(&I)) {
      AllocaInst *From = slot(Load->getPointerOperand());
      if (!From || Load->isVolatile()) return false;
      if (Results.contains(From)) Results.insert(&I);
      else if (ConstantInt *C = Constants.lookup(From)) Constants[&I] = C;
      else return false;
    } else if (isa<GetElementPtrInst>(I)) {
      if (!slot(&I)) return false;
    } else if (isa<ExtractValueInst>(I) || isa<InsertValueInst>(I) || isBoolInMemory(I)) {
      // insertvalue: the value put in is the one that comes from the call.
      if (!isResult(I.getOperand(isa<InsertValueInst>(I) ? 1 : 0))) return false;
      Results.insert(&I);
    } else {
      return false;
    }
    Path.push_back(&I);
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
      Incoming[&Phi] = V;
      Path.push_back(&Phi);
    }
    return true;
  }

  bool finish(ReturnInst &Return) {
    Value *V = Return.getReturnValue();
    if (V && !isResult(V)) return false;
    Path.push_back(&Return);
    return true;
  }

  CallInst &Call;
  SmallPtrSet<Value *, 8> Results; // values and slots that hold the call's result
  DenseMap<Value *, ConstantInt *> Constants;
  DenseMap<PHINode *, Value *> Incoming;
  SmallVector<Instruction *, 8> Path;
};

} // namespace

bool giveOwnReturn(CallInst &Call) {
  Walk W(Call);
  if (!W.reachesReturn()) return false;
  BasicBlock *Block = Call.getParent();
  BasicBlock *Rest = SplitBlock(Block, std::next(Call.getIterator()));
  Instruction *Branch = Block->getTerminator();
  ValueToValueMapTy Map;
  for (Instruction *I : W.path()) {
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      Value *V = W.incoming(Phi);
      Map[Phi] = Map.count(V) ? static_cast<Value *>(Map[V]) : V;
      continue;
    }
    Instruction *Copy = I->clone();
    Copy->insertBefore(Branch->getIterator());
    RemapInstruction(Copy, Map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    Map[I] = Copy;
  }
  Branch->eraseFromParent();
  DeleteDeadBlock(Rest); // nothing but handing on in it
  return true;
}

} // namespace gpumemprof
