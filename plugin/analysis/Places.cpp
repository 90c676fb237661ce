//===- Places.cpp - follows an address to what it is in -------------------===//
#include "analysis/Places.h"

#include "base/IRQueries.h"
#include "names/CudaNames.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gpumemprof {

bool makesAnObject(const Value *V) {
  auto *Call = dyn_cast<CallBase>(V->stripPointerCasts());
  auto *Callee = Call ? calleeOf(*Call) : nullptr;
  if (!Callee) return false;
  StringRef Name = Callee->getName();
  if (Name == "_Znwm" || Name == "_Znam") return true;
  return !looksLikeCudaApi(Name) && // xcalloc, malloc_check
         (Name.contains("malloc") || Name.contains("calloc") || Name.contains("realloc"));
}

std::optional<int64_t> constantOffset(const GEPOperator &GEP, const DataLayout &Layout) {
  APInt Offset(Layout.getIndexTypeSizeInBits(GEP.getType()), 0);
  if (!GEP.accumulateConstantOffset(Layout, Offset)) return std::nullopt;
  return Offset.getSExtValue();
}

/// All values that are stored into a variable or its elements.
static SmallVector<const Value *, 8> storedInto(const AllocaInst &Variable) {
  SmallVector<const Value *, 8> Stored, Addresses = {&Variable};
  for (size_t I = 0; I < Addresses.size(); ++I)
    for (const User *U : Addresses[I]->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (Store && Store->getPointerOperand() == Addresses[I])
        Stored.push_back(Store->getValueOperand());
      else if (isa<GEPOperator>(U)) Addresses.push_back(U);
    }
  return Stored;
}

/// What a pointer variable, or each element of an array of pointers, points to. If these are
/// several members of one object, one of them stands for all.
static std::optional<Place> pointedTo(const AllocaInst &Variable, const DataLayout &Layout,
                                      unsigned Depth) {
  std::optional<Place> Known;
  for (const Value *Stored : storedInto(Variable)) {
    if (isa<ConstantPointerNull>(Stored) || !Stored->getType()->isPointerTy()) continue;
    bool Made = makesAnObject(Stored);
    Place To = Made ? Place{Stored->stripPointerCasts(), 0} : placeOf(Stored, Layout, Depth + 1);
    if (Made && Known && makesAnObject(Known->Base)) continue;
    bool Follows = Made || isa<Argument>(To.Base) || makesAnObject(To.Base);
    if (!Follows || (Known && Known->Base != To.Base)) return std::nullopt;
    if (!Known || To.Offset == NotConstant) Known = To;
  }
  return Known;
}

Place placeOf(const Value *Address, const DataLayout &Layout, unsigned Depth) {
  int64_t Offset = 0;
  for (;;) {
    if (auto *GEP = dyn_cast<GEPOperator>(Address)) {
      std::optional<int64_t> More = constantOffset(*GEP, Layout);
      Offset = More && Offset != NotConstant ? Offset + *More : NotConstant;
      Address = GEP->getPointerOperand();
    } else if (const Value *Stripped = Address->stripPointerCasts(); Stripped != Address)
      Address = Stripped;
    else break;
  }
  auto *Load = dyn_cast<LoadInst>(Address);
  const Value *From = Load ? Load->getPointerOperand()->stripInBoundsOffsets() : nullptr;
  while (From && isa<GEPOperator>(From)) From = cast<GEPOperator>(From)->getPointerOperand();
  auto *Variable = dyn_cast_or_null<AllocaInst>(From);
  std::optional<Place> To =
      Variable && Depth < 4 ? pointedTo(*Variable, Layout, Depth) : std::nullopt;
  if (!To) return {Address, Offset};
  bool Known = Offset != NotConstant && To->Offset != NotConstant;
  return {To->Base, Known ? To->Offset + Offset : NotConstant};
}

} // namespace gpumemprof
