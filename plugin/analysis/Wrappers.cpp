//===- Wrappers.cpp - sizes from parameters, pointers to the caller -------===//
#include "analysis/Wrappers.h"

#include "analysis/PointerWays.h"
#include "base/Compat.h"
#include "base/IRQueries.h"
#include "names/CudaNames.h"
#include "names/CudaSizes.h"
#include "names/NameKinds.h"
#include "names/Names.h"

#include "gpumemprof/hooks.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <memory>
#include <optional>
#include <string>

using namespace llvm;

namespace gpumemprof {
namespace {

/// Values that are computed from the arguments of a function.
class FromParameters {
public:
  /// \p Without: an argument that does not count.
  FromParameters(const Function &F, const Argument *Without, Places &Where) : Where(Where) {
    for (const Argument &A : F.args())
      if (&A != Without) add(&A);
    while (!Work.empty()) {
      const Value *V = Work.pop_back_val();
      for (const User *U : V->users())
        if (auto *I = dyn_cast<Instruction>(U)) follow(*I, V);
    }
  }

  bool contains(const Value *V) const { return Found.contains(V); }

private:
  void add(const Value *V) {
    if (Found.insert(V).second) Work.push_back(V);
  }

  /// \p Used is one of the operands. The result of a CUDA function is an error code.
  void follow(const Instruction &I, const Value *Used) {
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      if (Store->getValueOperand() == Used) addVariable(Store->getPointerOperand());
      return;
    }
    auto *Call = dyn_cast<CallBase>(&I);
    auto *Callee = Call ? calleeOf(*Call) : nullptr;
    if (Callee && looksLikeCudaApi(Callee->getName())) return;
    if (Call) // it may write into variables that it is given
      for (const Use &Argument : Call->args())
        if (Argument->getType()->isPointerTy() && Argument != Used) addVariable(Argument);
    if (!I.getType()->isVoidTy()) add(&I);
  }

  void addVariable(const Value *Address) {
    const Value *Base = Where.of(Address).Base;
    if (isa<AllocaInst>(Base)) add(Base);
  }

  Places &Where;
  DenseSet<const Value *> Found;
  SmallVector<const Value *, 32> Work;
};

/// `cudaMalloc(T **, size_t)` and the other templates of cuda_runtime.h.
bool isTypedCudaEntry(StringRef Symbol) {
  if (!Symbol.consume_front("_Z")) return false;
  Symbol.consume_front("L");
  size_t Length;
  if (Symbol.consumeInteger(10, Length) || Length > Symbol.size()) return false;
  return isAllocationSpelling(Symbol.take_front(Length));
}

/// Where a call puts the pointer to what it allocates. False: that is not clear.
bool begin(PointerWays &Pointer, const CallBase &Call, Places &Where) {
  auto *Callee = calleeOf(Call);
  StringRef Name = Callee ? Callee->getName() : "";
  if (isCudaEntry(Name) || isTypedCudaEntry(Name) || Call.hasStructRetAttr() ||
      isConstructor(Name)) {
    Pointer.storedAt(Call.getArgOperand(0));
    return true;
  }
  const Value *Only = nullptr, *Local = nullptr; // `v.resize(n)`, `allocate(handle, &p, n)`
  unsigned Pointers = 0, Locals = 0;
  for (const Use &Argument : Call.args()) {
    if (!Argument->getType()->isPointerTy() || isa<Constant>(Argument)) continue;
    Pointers++;
    Only = Argument;
    if (!isa<AllocaInst>(Where.of(Argument).Base)) continue;
    Locals++;
    Local = Argument;
  }
  bool Result = Call.getType()->isPointerTy() || Call.getType()->isAggregateType() ||
                (Call.getType()->isIntegerTy(64) && !Pointers);
  if (Result && Locals) return false;
  if (Result) Pointer.value(&Call);
  else if (Locals == 1) Pointer.storedAt(Local);
  else if (Pointers == 1) Pointer.storedAt(Only);
  else return false;
  return true;
}

/// The calls of one function.
class Finder {
public:
  Finder(const Function &F, Places &Where) : F(F), Where(Where) {}

  bool sizeIsFromParameters(const CallBase &Call, PointerWay Way) {
    auto *Callee = calleeOf(Call);
    StringRef Name = Callee ? Callee->getName() : "";
    if (isCudaEntry(Name)) {
      const CudaSize &Size = cudaSize(cudaSpelling(Name));
      return any_of(Size.Arguments, [&](unsigned I) {
        // A structure is the last argument, of which CUDA 12 has fewer (cuda12.def).
        if (!Size.Numbers && I >= Call.arg_size() && Call.arg_size()) I = Call.arg_size() - 1;
        return I < Call.arg_size() && all().contains(Call.getArgOperand(I));
      });
    }
    if (isTypedCudaEntry(Name)) return hasNumberFrom(Call, all());
    return hasNumberFrom(Call, othersThan(Way.first)) || passesParameter(Call, Way.first) ||
           ((takesValues() || F.arg_size() == 1) && isMethodOf(Call, Way.first));
  }

private:
  const FromParameters &all() { return othersThan(nullptr); }

  /// An object that knows its own size, such as a layer, is no caller that decides on it; what a
  /// constructor computes of its members comes from its parameters.
  const FromParameters &othersThan(const Argument *Receiver) {
    if (isConstructor(F.getName())) Receiver = nullptr;
    auto &Known = Sizes[Receiver];
    if (!Known) Known = std::make_unique<FromParameters>(F, Receiver, Where);
    return *Known;
  }

  /// A number, or a variable with one, which `std::make_unique<T>(n)` takes by its address.
  static bool hasNumberFrom(const CallBase &Call, const FromParameters &From) {
    return any_of(Call.args(), [&](const Use &A) {
      auto *Variable = dyn_cast<AllocaInst>(A);
      if (Variable ? !Variable->getAllocatedType()->isIntegerTy() : A->getType()->isPointerTy())
        return false;
      return From.contains(A);
    });
  }

  /// A shape or another object of the caller's is passed on.
  bool passesParameter(const CallBase &Call, const Argument *Receiver) {
    return any_of(Call.args(), [&](const Use &A) {
      if (!A->getType()->isPointerTy()) return false;
      const Value *Base = Where.of(A).Base;
      return isa<Argument>(Base) && Base != Receiver && !cast<Argument>(Base)->hasStructRetAttr();
    });
  }

  /// `allocate()` in the constructor that was given the size, or in a method without parameters.
  bool isMethodOf(const CallBase &Call, const Argument *Object) {
    if (!Object || Call.arg_empty() || !Call.getArgOperand(0)->getType()->isPointerTy())
      return false;
    Place At = Where.of(Call.getArgOperand(0));
    auto *Callee = calleeOf(Call);
    return At.Base == Object && At.Offset == 0 && Callee &&
           classOf(Callee->getName()) == classOf(F.getName());
  }

  /// A number or an object by value, which may be a shape. Large objects are passed as a pointer.
  bool takesValues() const {
    if (any_of(F.args(), [](const Argument &A) { return !A.getType()->isPointerTy(); }))
      return true;
    SmallVector<StringRef, 4> Types;
    std::string Parameters = parametersOf(F.getName());
    StringRef(Parameters).trim("()").split(Types, ", ", -1, /*KeepEmpty=*/false);
    return any_of(Types, [](StringRef T) { return !T.ends_with("*") && !T.ends_with("&"); });
  }

  const Function &F;
  Places &Where;
  DenseMap<const Argument *, std::unique_ptr<FromParameters>> Sizes;
};

/// The values that a function may return, if these are pointers.
SmallVector<const Value *, 4> returnedBy(const Function &F) {
  SmallVector<const Value *, 4> Values;
  if (!F.getReturnType()->isPointerTy()) return Values;
  for (const Instruction &I : instructions(F)) {
    auto *Return = dyn_cast<ReturnInst>(&I);
    if (!Return) continue;
    auto *Load = dyn_cast<LoadInst>(Return->getReturnValue());
    auto *Variable = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
    if (!Variable) {
      Values.push_back(Return->getReturnValue());
      continue;
    }
    for (const User *U : Variable->users())
      if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == Variable)
        Values.push_back(Store->getValueOperand());
  }
  return Values;
}

} // namespace

Wrappers::Wrappers() = default;
Wrappers::~Wrappers() = default;

void Wrappers::find(const Function &F, function_ref<bool(const CallBase &)> MayAllocate) {
  if (F.getName() == "main") return;
  if (!Shared)
    Shared = std::make_unique<WaysContext>(F.getParent()->getDataLayout(),
                                           compat::targetTriple(*F.getParent()));
  Finder Calls(F, Shared->Where);
  SmallVector<const Value *, 4> Returned = returnedBy(F);
  SmallVector<std::pair<const CallBase *, PointerWay>, 4> Found;
  SmallSetVector<PointerWay, 2> Ways;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    auto *Callee = Call ? calleeOf(*Call) : nullptr;
    StringRef Name = Callee ? Callee->getName() : "";
    if (!Call || !Call->arg_size() || isCudaFree(Name) || !MayAllocate(*Call)) continue;
    PointerWays Pointer(*Shared);
    if (!begin(Pointer, *Call, Shared->Where)) continue;
    PointerLeaves Leaves = Pointer.find(Returned, MayAllocate);
    if (Leaves.How == PointerLeaves::Never) continue;
    bool FromParameters = Calls.sizeIsFromParameters(*Call, Leaves.Way);
    bool Allocates = FromParameters || isCudaEntry(Name) || isTypedCudaEntry(Name);
    if (Leaves.How == PointerLeaves::Unclear && Allocates)
      return; // a part of it is not the caller's
    if (Leaves.How == PointerLeaves::Unclear) continue;
    if (Allocates) Ways.insert(Leaves.Way);
    if (FromParameters) Found.push_back({Call, Leaves.Way});
  }
  if (Ways.size() != 1) return;
  for (auto [Call, Way] : Found)
    Flags[Call] = GPUMEMPROF_SITE_FOR_CALLER |
                  (Way.first && !Way.first->getArgNo() ? GPUMEMPROF_SITE_FOR_OBJECT : 0);
}

} // namespace gpumemprof
