//===- SharedPlaces.cpp ---------------------------------------------------===//
#include "sites/SharedPlaces.h"

#include "facts/SourceFacts.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpumemprof {

std::optional<SharedPlaces::Place> SharedPlaces::placeOf(const CallBase &Call) const {
  const DILocation *Loc = Call.getDebugLoc();
  if (!Loc || !Loc->getLine() || isa<IntrinsicInst>(Call)) return std::nullopt;
  uint64_t Column = ColumnsAreReal ? Loc->getColumn() : 0;
  return Place(Call.getFunction(), Call.getCalledOperand(),
               uint64_t(Loc->getLine()) << 32 | Column);
}

SharedPlaces::SharedPlaces(const Module &M, SourceFacts &Facts)
    : ColumnsAreReal(Facts.columnsAreReal()) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        if (std::optional<Place> P = placeOf(*Call)) ++Calls[*P];
}

unsigned SharedPlaces::count(const CallBase &Call) const {
  std::optional<Place> P = placeOf(Call);
  return P ? Calls.lookup(*P) : 1;
}

} // namespace gpumemprof
