//===- SharedPlaces.cpp ---------------------------------------------------===//
#include "sites/SharedPlaces.h"

#include "facts/SourceFacts.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <tuple>

using namespace llvm;

namespace gpumemprof {
namespace {

using BlockSet = SmallPtrSet<const BasicBlock *, 16>;

/// The blocks that run without an exception. A clean-up is there twice, once for each way out of
/// its scope, although the source has it once.
BlockSet blocksWithoutException(const Function &F) {
  BlockSet Reached{&F.getEntryBlock()};
  SmallVector<const BasicBlock *, 16> Work{&F.getEntryBlock()};
  while (!Work.empty())
    for (const BasicBlock *Next : successors(Work.pop_back_val()))
      if (!Next->isEHPad() && Reached.insert(Next).second) Work.push_back(Next);
  return Reached;
}

} // namespace

void SharedPlaces::findIn(const Function &F, bool ColumnsAreReal) {
  using Place = std::tuple<const Value *, uint64_t, unsigned>; // callee, line and column, exception
  DenseMap<Place, SmallVector<const CallBase *, 1>> Places;
  BlockSet Normal = blocksWithoutException(F);
  for (const BasicBlock &Block : F)
    for (const Instruction &I : Block) {
      auto *Call = dyn_cast<CallBase>(&I);
      const DILocation *Loc = Call ? Call->getDebugLoc().get() : nullptr;
      if (!Loc || !Loc->getLine() || isa<IntrinsicInst>(Call)) continue;
      uint64_t At = uint64_t(Loc->getLine()) << 32 | (ColumnsAreReal ? Loc->getColumn() : 0);
      Places[{Call->getCalledOperand(), At, !Normal.contains(&Block)}].push_back(Call);
    }
  for (const auto &[_, Calls] : Places)
    for (const CallBase *Call : Calls)
      if (Calls.size() > 1) Shared[Call] = Calls.size();
}

SharedPlaces::SharedPlaces(const Module &M, SourceFacts &Facts) {
  bool ColumnsAreReal = Facts.columnsAreReal();
  for (const Function &F : M)
    if (!F.isDeclaration()) findIn(F, ColumnsAreReal);
}

} // namespace gpumemprof
