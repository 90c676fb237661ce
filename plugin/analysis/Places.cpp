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

std::optional<int64_t> Places::constantOffset(const GEPOperator &GEP) const {
  APInt Offset(Layout.getIndexTypeSizeInBits(GEP.getType()), 0);
  if (!GEP.accumulateConstantOffset(Layout, Offset)) return std::nullopt;
  return Offset.getSExtValue();
}

/// More stores into one variable are not followed.
constexpr size_t MostStores = 64;

/// The values that are stored into a variable or its elements.
static SmallVector<const Value *, 8> storedInto(const AllocaInst &Variable) {
  SmallVector<const Value *, 8> Stored, Addresses = {&Variable};
  for (size_t I = 0; I < Addresses.size() && Stored.size() <= MostStores; ++I)
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
std::optional<Place> Places::findPointedTo(const AllocaInst &Variable) {
  std::optional<Place> Found;
  SmallVector<const Value *, 8> All = storedInto(Variable);
  if (All.size() > MostStores) return std::nullopt;
  for (const Value *Stored : All) {
    if (isa<ConstantPointerNull>(Stored) || !Stored->getType()->isPointerTy()) continue;
    bool Made = makesAnObject(Stored);
    Place To = Made ? Place{Stored->stripPointerCasts(), 0} : of(Stored);
    if (Made && Found && makesAnObject(Found->Base)) continue;
    bool Follows = Made || isa<Argument>(To.Base) || makesAnObject(To.Base);
    if (!Follows || (Found && Found->Base != To.Base)) return std::nullopt;
    if (!Found || To.Offset == NotConstant) Found = To;
  }
  return Found;
}

/// A variable that is followed already, as in `p = p->next`, is nothing known meanwhile.
std::optional<Place> Places::pointedTo(const AllocaInst &Variable) {
  auto [It, New] = Known.try_emplace(&Variable, std::nullopt);
  if (!New) return It->second;
  std::optional<Place> Found = findPointedTo(Variable);
  return Known[&Variable] = Found;
}

Place Places::of(const Value *Address) {
  int64_t Offset = 0;
  for (;;) {
    if (auto *GEP = dyn_cast<GEPOperator>(Address)) {
      std::optional<int64_t> More = constantOffset(*GEP);
      Offset = More && Offset != NotConstant ? Offset + *More : NotConstant;
      Address = GEP->getPointerOperand();
    } else if (const Value *Stripped = Address->stripPointerCasts(); Stripped != Address)
      Address = Stripped;
    else break;
  }
  auto *Load = dyn_cast<LoadInst>(Address);
  const Value *From = Load ? Load->getPointerOperand() : nullptr;
  while (From && isa<GEPOperator>(From)) From = cast<GEPOperator>(From)->getPointerOperand();
  auto *Variable = dyn_cast_or_null<AllocaInst>(From);
  std::optional<Place> To = Variable ? pointedTo(*Variable) : std::nullopt;
  if (!To) return {Address, Offset};
  bool IsConstant = Offset != NotConstant && To->Offset != NotConstant;
  return {To->Base, IsConstant ? To->Offset + Offset : NotConstant};
}

} // namespace gpumemprof
