//===- PointerWays.cpp - follows a pointer through a function -------------===//
#include "analysis/PointerWays.h"

#include "base/IRQueries.h"
#include "names/CudaNames.h"
#include "names/NameKinds.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gpumemprof {

/// `member = p`, `member.reset(p)`
static bool isAssignment(StringRef Symbol) {
  return Symbol.starts_with("_ZN") && (Symbol.contains("aSE") || Symbol.contains("aSI") ||
                                       Symbol.contains("5resetE") || Symbol.contains("5resetI"));
}

/// \p V is the pointer, or the address of memory with the pointer at \p Offset. In a loop that
/// moves a pointer each round has another offset, so a second one is no constant.
void PointerWays::add(const Value *V, int64_t Offset) {
  auto [Known, New] = Found.try_emplace(V, Offset);
  if (!New) {
    if (Known->second == Offset || Known->second == NotConstant) return;
    Known->second = NotConstant;
  }
  Work.push_back(V);
}

void PointerWays::value(const Value *V) {
  add(V, V->getType()->isAggregateType() ? 0 : Itself);
}

/// So many values are enough for any function that a person writes.
constexpr unsigned MostValues = 5000;

void PointerWays::run() {
  for (unsigned Count = 0; !Work.empty(); ++Count) {
    if (Count == MostValues) {
      Kept = true;
      return;
    }
    const Value *V = Work.pop_back_val();
    int64_t Offset = Found.lookup(V);
    for (const User *U : V->users())
      if (auto *I = dyn_cast<Instruction>(U)) follow(*I, V, Offset);
  }
}

PointerLeaves PointerWays::find(ArrayRef<const Value *> Returned,
                                function_ref<bool(const CallBase &)> MayAllocate) {
  run();
  if (Ways.empty() && !Kept) return {PointerLeaves::Never, {}};
  SmallVector<PointerWay, 2> Results;
  copy_if(Ways, std::back_inserter(Results), [](const PointerWay &W) { return !W.first; });
  bool OfElements =
      any_of(Ways, [](const PointerWay &W) { return W.first && W.second == NotConstant; });
  if (Results.size() == 1 && !OfElements && !mayReturnAnother(Returned, MayAllocate))
    return {PointerLeaves::Once, Results[0]};
  if (Results.empty() && !OfElements && !Kept && Ways.size() == 1)
    return {PointerLeaves::Once, Ways[0]};
  return {PointerLeaves::Unclear, {}};
}

/// A cache or a pool also returns pointers that it had before.
bool PointerWays::mayReturnAnother(ArrayRef<const Value *> Returned,
                                   function_ref<bool(const CallBase &)> MayAllocate) {
  return any_of(Returned, [&](const Value *V) {
    auto *Call = dyn_cast<CallBase>(V->stripPointerCasts());
    return !(Call && MayAllocate(*Call)) && !isa<Constant>(V) && !Found.count(V) &&
           !makesAnObject(V) && !isa<Argument>(Shared.Where.of(V).Base);
  });
}

void PointerWays::stored(Place At) {
  if (auto *A = dyn_cast<Argument>(At.Base))
    Ways.insert({A->hasStructRetAttr() ? nullptr : A, At.Offset});
  else if (isa<AllocaInst>(At.Base) || makesAnObject(At.Base)) add(At.Base, At.Offset);
  else Kept = true; // in a variable of the program, or in memory behind a pointer
}

Place PointerWays::at(const Value *Address, int64_t Offset) {
  Place To = Shared.Where.of(Address);
  if (To.Offset != NotConstant && Offset != Itself)
    To.Offset = Offset == NotConstant ? NotConstant : To.Offset + Offset;
  return To;
}

void PointerWays::follow(const Instruction &I, const Value *V, int64_t Offset) {
  if (isa<ReturnInst>(I)) Ways.insert({nullptr, Offset == Itself ? 0 : Offset});
  else if (auto *Store = dyn_cast<StoreInst>(&I)) {
    if (Store->getValueOperand() != V) return;
    auto *Variable = dyn_cast<AllocaInst>(Store->getPointerOperand());
    if (Variable && Offset != Itself) StandIns.insert(Variable);
    stored(at(Store->getPointerOperand(), Offset));
  } else if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
    if (Copy->getRawSource() == V && Offset != Itself) stored(at(Copy->getRawDest(), Offset));
  } else if (auto *Call = dyn_cast<CallBase>(&I)) called(*Call, V, Offset);
  else if (auto *GEP = dyn_cast<GEPOperator>(&I)) {
    std::optional<int64_t> More = Shared.Where.constantOffset(*GEP);
    if (Offset == Itself) add(&I, Itself);
    else add(&I, More && Offset != NotConstant ? Offset - *More : NotConstant);
  } else if (auto *Load = dyn_cast<LoadInst>(&I)) loaded(*Load, V, Offset);
  else if (isa<CastInst, PHINode, SelectInst, InsertValueInst, ExtractValueInst>(I))
    add(&I, Offset);
  else if (isa<BinaryOperator>(I)) add(&I, Offset == Itself ? Itself : NotConstant); // as a number
}

/// A pointer variable may hold the address of the object that has the pointer. CUdeviceptr is a
/// number of 64 bits.
void PointerWays::loaded(const LoadInst &Load, const Value *From, int64_t Offset) {
  if (Offset == Itself) return; // what is in the block
  auto *Variable = dyn_cast<AllocaInst>(From);
  bool Whole = Load.getType()->isAggregateType() || (Variable && StandIns.contains(Variable));
  bool Pointer = Load.getType()->isPointerTy() || Load.getType()->isIntegerTy(64);
  if (Whole) add(&Load, Offset);
  else if (Pointer && (Offset == 0 || Offset == NotConstant)) add(&Load, Itself);
}

/// The pointer, or what holds it, is an argument. CUDA, the C library, the compiler's own
/// functions, destructors and kernels keep nothing.
void PointerWays::called(const CallBase &Call, const Value *V, int64_t Offset) {
  auto *Callee = calleeOf(Call);
  StringRef Name = Callee ? Callee->getName() : "";
  LibFunc Which;
  if (isa<IntrinsicInst>(Call) || looksLikeCudaApi(Name) || isKernelStub(Name) ||
      isDestructor(Name) ||
      (Callee && Callee->isDeclaration() && Shared.Library.getLibFunc(*Callee, Which)))
    return;
  if (isConstructor(Name) || isAssignment(Name)) {
    if (Call.getArgOperand(0) != V) stored(at(Call.getArgOperand(0), Offset));
    return;
  }
  if (Callee && !Callee->isDeclaration() && followInto(Call, *Callee, V, Offset)) return;
  for (const Use &Argument : Call.args()) {
    if (Argument == V || !Argument->getType()->isPointerTy()) continue;
    Place Other = Shared.Where.of(Argument);
    if (isa<AllocaInst>(Other.Base) || makesAnObject(Other.Base)) stored(at(Argument, Offset));
    else if (isa<llvm::Argument>(Other.Base)) Kept = true; // it is not known whether it is
  }
}

WaysContext::Followed PointerWays::followed(const Argument &Given, int64_t Offset) {
  WaysContext::Given Key = {&Given, Offset, Depth};
  if (auto It = Shared.Known.find(Key); It != Shared.Known.end()) return It->second;
  Shared.Known[Key] = {true, {}}; // while it is followed, in a recursion
  PointerWays Inside(Shared, Depth + 1);
  Inside.add(&Given, Offset);
  Inside.run();
  return Shared.Known[Key] = {Inside.Kept, {Inside.Ways.begin(), Inside.Ways.end()}};
}

/// Where a function of this file puts what it is given. False: it is followed no deeper.
bool PointerWays::followInto(const CallBase &Call, const Function &Callee, const Value *V,
                             int64_t Offset) {
  if (Depth == 2 || Callee.isVarArg() || Callee.arg_size() != Call.arg_size()) return false;
  for (const Use &Argument : Call.args()) {
    if (Argument != V) continue;
    WaysContext::Followed Inside = followed(*Callee.getArg(Argument.getOperandNo()), Offset);
    Kept |= Inside.Kept;
    for (const PointerWay &W : Inside.Ways) {
      if (!W.first && !Callee.hasStructRetAttr()) {
        add(&Call, Call.getType()->isAggregateType() ? W.second : Itself);
        continue;
      }
      Place To = Shared.Where.of(Call.getArgOperand(W.first ? W.first->getArgNo() : 0));
      bool IsConstant = To.Offset != NotConstant && W.second != NotConstant;
      stored({To.Base, IsConstant ? To.Offset + W.second : NotConstant});
    }
  }
  return true;
}

} // namespace gpumemprof
