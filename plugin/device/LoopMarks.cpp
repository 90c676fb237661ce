//===- LoopMarks.cpp ------------------------------------------------------===//
//
// An access that each round of a loop makes, at addresses that differ by one step, is marked
// before the loop by one call (PageCode.cpp) with its begin, its step and the number of rounds.
//
//===----------------------------------------------------------------------===//
#include "device/LoopMarks.h"

#include "base/CompatPipeline.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// Marks what loops access in steps; \p Seen keeps the others.
class LoopMarker {
public:
  LoopMarker(Function &F, const PageCode &Code, FunctionAnalysisManager &Analyses)
      : Code(Code), Tree(Analyses.getResult<DominatorTreeAnalysis>(F)),
        Loops(Analyses.getResult<LoopAnalysis>(F)),
        Evolution(Analyses.getResult<ScalarEvolutionAnalysis>(F)),
        I64(Type::getInt64Ty(F.getContext())) {}

  void run(SmallVectorImpl<Access> &Seen) {
    for (Loop *L : Loops.getLoopsInPreorder()) // the optimizer has removed blocks that were empty
      if (!L->getLoopPreheader()) InsertPreheaderForLoop(L, &Tree, &Loops, nullptr, false);
    erase_if(Seen, [&](const Access &A) { return !A.Length && markBefore(A); });
  }

private:
  /// Whether the block runs in each round of the loop, whose number is known before it begins.
  bool runsAlways(const BasicBlock &Block, const Loop &L) {
    auto [Known, IsNew] = Steady.try_emplace(&L, false);
    if (IsNew) {
      bool Calls = any_of(L.blocks(), [](const BasicBlock *B) {
        return any_of(*B, [](const Instruction &I) {
          auto *Call = dyn_cast<CallBase>(&I);
          return Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm(); // it may not return
        });
      });
      Known->second = !Calls && L.getLoopPreheader() && L.getExitingBlock() &&
                      L.getExitingBlock() == L.getLoopLatch() &&
                      !isa<SCEVCouldNotCompute>(Evolution.getBackedgeTakenCount(&L));
    }
    return Known->second && Tree.dominates(&Block, L.getLoopLatch());
  }

  bool markBefore(const Access &A) {
    Loop *L = Loops.getLoopFor(A.Before->getParent());
    if (!L || !runsAlways(*A.Before->getParent(), *L)) return false;
    const SCEV *Address = Evolution.getSCEV(A.Base);
    const SCEV *Start = Address, *Step = Evolution.getZero(I64), *Rounds = Evolution.getOne(I64);
    if (!Evolution.isLoopInvariant(Address, L)) {
      auto *Way = dyn_cast<SCEVAddRecExpr>(Address);
      if (!Way || Way->getLoop() != L || !Way->isAffine()) return false;
      Start = Way->getStart();
      Step = Way->getStepRecurrence(Evolution);
      const SCEV *Back = Evolution.getBackedgeTakenCount(L);
      if (Back->getType()->getIntegerBitWidth() > 64 || Step->getType() != I64 ||
          !Evolution.isLoopInvariant(Step, L))
        return false;
      Rounds = Evolution.getAddExpr(Evolution.getNoopOrZeroExtend(Back, I64), Rounds);
    }
    Instruction *At = L->getLoopPreheader()->getTerminator();
    SCEVExpander Expander = compat::expander(Evolution, At->getModule()->getDataLayout());
    for (const SCEV *Needed : {Start, Step, Rounds})
      if (!Expander.isSafeToExpandAt(Needed, At)) return false;
    IRBuilder<> B(At);
    Value *Base = B.CreatePtrToInt(Expander.expandCodeFor(Start, A.Base->getType(), At), I64);
    Value *By = Expander.expandCodeFor(Step, I64, At);
    Value *Count = Expander.expandCodeFor(Rounds, I64, At);
    B.SetInsertPoint(At);
    B.CreateCall(Code.Stride, {B.CreateAdd(Base, ConstantInt::getSigned(I64, A.From)),
                               B.CreateAdd(Base, ConstantInt::getSigned(I64, A.To - 1)), By, Count,
                               B.getInt32(A.Bits)});
    return true;
  }

  const PageCode &Code;
  DominatorTree &Tree;
  LoopInfo &Loops;
  ScalarEvolution &Evolution;
  Type *I64;
  DenseMap<const Loop *, bool> Steady;
};

} // namespace

void markLoops(Function &F, SmallVectorImpl<Access> &Seen, const PageCode &Code,
               FunctionAnalysisManager &Analyses) {
  LoopMarker(F, Code, Analyses).run(Seen);
}

} // namespace gpumemprof
