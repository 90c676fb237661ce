//===- Wrappers.cpp - follows sizes and pointers through one function -----===//
//
// Both walks ignore the order of instructions: a variable has whatever is stored into it
// anywhere. They see the module as clang wrote it, in which parameters and variables are
// memory of the function (allocas).
//
//===----------------------------------------------------------------------===//
#include "analysis/Wrappers.h"

#include "base/IRQueries.h"
#include "names/CudaNames.h"
#include "names/CudaSizes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <optional>

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr int64_t NotConstant = -1; // an offset

/// What an address is in: a variable of the function, the memory that an argument points to, or
/// something else; and at which offset.
struct Place {
  const Value *Base;
  int64_t Offset;
};

bool makesAnObject(const Value *V) {
  auto *Call = dyn_cast<CallBase>(V->stripPointerCasts());
  auto *Callee = Call ? calleeOf(*Call) : nullptr;
  static const StringSet<> Names = {"malloc", "calloc", "realloc", "_Znwm", "_Znam"};
  return Callee && Names.contains(Callee->getName());
}

/// What the pointer variable \p Variable points to: an argument's memory, or an object that the
/// function made, for which the variable stands; null if it is something else.
const Value *pointedTo(const AllocaInst &Variable) {
  const Argument *Parameter = nullptr;
  bool Made = false, Other = false;
  for (const User *U : Variable.users())
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == &Variable) {
      const Value *Stored = Store->getValueOperand();
      if (auto *A = dyn_cast<Argument>(Stored)) {
        Other |= Parameter && Parameter != A;
        Parameter = A;
      } else if (makesAnObject(Stored)) Made = true;
      else Other |= !isa<ConstantPointerNull>(Stored);
    }
  if (Other || (Parameter && Made)) return nullptr;
  if (Parameter) return Parameter;
  return Made ? &Variable : nullptr;
}

std::optional<int64_t> constantOffset(const GEPOperator &GEP, const DataLayout &Layout) {
  APInt Offset(Layout.getIndexTypeSizeInBits(GEP.getType()), 0);
  if (!GEP.accumulateConstantOffset(Layout, Offset)) return std::nullopt;
  return Offset.getSExtValue();
}

Place placeOf(const Value *Address, const DataLayout &Layout) {
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
  auto *Variable = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  const Value *To = Variable ? pointedTo(*Variable) : nullptr;
  return {To ? To : Address, Offset};
}

/// Values that are computed from the arguments of a function.
class FromParameters {
public:
  FromParameters(const Function &F, const DataLayout &Layout) : Layout(Layout) {
    for (const Argument &A : F.args()) add(&A);
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

  /// \p Used is one of the operands.
  void follow(const Instruction &I, const Value *Used) {
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      if (Store->getValueOperand() == Used) addVariable(Store->getPointerOperand());
      return;
    }
    if (auto *Call = dyn_cast<CallBase>(&I)) // it may write into variables that it is given
      for (const Use &Argument : Call->args())
        if (Argument->getType()->isPointerTy() && Argument != Used) addVariable(Argument);
    if (!I.getType()->isVoidTy()) add(&I);
  }

  void addVariable(const Value *Address) {
    const Value *Base = placeOf(Address, Layout).Base;
    if (isa<AllocaInst>(Base)) add(Base);
  }

  const DataLayout &Layout;
  DenseSet<const Value *> Found;
  SmallVector<const Value *, 32> Work;
};

/// How a pointer leaves a function: an argument (for the result: null) and an offset.
using Way = std::pair<const Argument *, int64_t>;

/// Follows a pointer, and the variables that hold it, to where it leaves the function.
class Leaving {
public:
  explicit Leaving(const DataLayout &Layout) : Layout(Layout) {}

  /// The pointer is a value.
  void value(const Value *V) { add(V, 0); }
  /// The pointer is stored at an address.
  void storedAt(const Value *Address) { stored(placeOf(Address, Layout)); }

  /// The only way in which it leaves; nullopt if there is none or more than one, or if it is kept.
  std::optional<Way> only() {
    while (!Work.empty() && !Kept) {
      auto [V, Offset] = Work.pop_back_val();
      for (const User *U : V->users())
        if (auto *I = dyn_cast<Instruction>(U)) follow(*I, V, Offset);
    }
    if (Kept || Ways.size() != 1) return std::nullopt;
    return Ways[0];
  }

private:
  /// \p V is the pointer, or the address of memory with the pointer at \p Offset.
  void add(const Value *V, int64_t Offset) {
    if (Found.insert({V, Offset}).second) Work.push_back({V, Offset});
  }

  void stored(Place At) {
    if (auto *A = dyn_cast<Argument>(At.Base))
      Ways.insert({A->hasStructRetAttr() ? nullptr : A, At.Offset});
    else if (isa<AllocaInst>(At.Base)) add(At.Base, At.Offset);
    else Kept = true; // in a variable of the program, or in memory behind a pointer
  }

  void follow(const Instruction &I, const Value *V, int64_t Offset) {
    if (isa<ReturnInst>(I)) Ways.insert({nullptr, Offset});
    else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      if (Store->getValueOperand() == V) stored(at(Store->getPointerOperand(), Offset));
    } else if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
      if (Copy->getRawSource() == V) stored(at(Copy->getRawDest(), Offset));
    } else if (auto *Call = dyn_cast<CallBase>(&I)) called(*Call, V, Offset);
    else if (auto *GEP = dyn_cast<GEPOperator>(&I)) {
      std::optional<int64_t> More = constantOffset(*GEP, Layout);
      add(&I, More && Offset != NotConstant ? Offset - *More : NotConstant);
    } else if (auto *Load = dyn_cast<LoadInst>(&I)) loaded(*Load, V, Offset);
    else if (isa<CastInst, PHINode, SelectInst, InsertValueInst, ExtractValueInst>(I))
      add(&I, Offset);
  }

  /// A pointer variable may hold the address of the object that has the pointer.
  void loaded(const LoadInst &Load, const Value *From, int64_t Offset) {
    auto *Variable = dyn_cast<AllocaInst>(From);
    bool Whole = Load.getType()->isAggregateType() ||
                 (Variable && Variable->getAllocatedType()->isPointerTy());
    if (Whole) add(&Load, Offset);
    else if (Load.getType()->isPointerTy() && (Offset == 0 || Offset == NotConstant)) add(&Load, 0);
  }

  Place at(const Value *Address, int64_t Offset) {
    Place To = placeOf(Address, Layout);
    if (To.Offset != NotConstant)
      To.Offset = Offset == NotConstant ? NotConstant : To.Offset + Offset;
    return To;
  }

  /// The pointer, or what holds it, is an argument. CUDA and the compiler's own functions keep
  /// nothing. A function of the program may copy it into an object that it is given as well, as
  /// constructors and push_back do.
  void called(const CallBase &Call, const Value *V, int64_t Offset) {
    auto *Callee = calleeOf(Call);
    if (isa<IntrinsicInst>(Call) || (Callee && looksLikeCudaApi(Callee->getName()))) return;
    for (const Use &Argument : Call.args()) {
      if (Argument == V || !Argument->getType()->isPointerTy()) continue;
      Place Other = placeOf(Argument, Layout);
      if (isa<llvm::Argument>(Other.Base) || isa<AllocaInst>(Other.Base))
        stored(at(Argument, Offset));
    }
  }

  const DataLayout &Layout;
  bool Kept = false;
  SmallSetVector<Way, 2> Ways;
  DenseSet<std::pair<const Value *, int64_t>> Found;
  SmallVector<std::pair<const Value *, int64_t>, 16> Work;
};

bool isConstructor(StringRef Symbol) {
  return Symbol.starts_with("_ZN") && (Symbol.contains("C1E") || Symbol.contains("C2E"));
}

/// Where a call puts the pointer to what it allocates.
void begin(Leaving &Pointer, const CallBase &Call) {
  auto *Callee = calleeOf(Call);
  StringRef Name = Callee ? Callee->getName() : "";
  if (isCudaEntry(Name) || Call.hasStructRetAttr() || isConstructor(Name))
    return Pointer.storedAt(Call.getArgOperand(0));
  if (!Call.getType()->isVoidTy() && !Call.getType()->isIntegerTy()) return Pointer.value(&Call);
  for (const Use &Argument : Call.args()) // `allocate(&p, n)`, `v.resize(n)`
    if (Argument->getType()->isPointerTy()) return Pointer.storedAt(Argument);
}

bool sizeIsFromParameters(const CallBase &Call, const FromParameters &Sizes) {
  auto *Callee = calleeOf(Call);
  StringRef Name = Callee ? Callee->getName() : "";
  if (isCudaEntry(Name)) {
    const CudaSize &Size = cudaSize(cudaSpelling(Name));
    return any_of(Size.Arguments, [&](unsigned I) {
      return I < Call.arg_size() && Sizes.contains(Call.getArgOperand(I));
    });
  }
  return any_of(Call.args(), [&](const Use &Argument) { return Sizes.contains(Argument); });
}

} // namespace

void Wrappers::find(const Function &F, function_ref<bool(const CallBase &)> MayAllocate) {
  if (F.getName() == "main") return;
  const DataLayout &Layout = F.getParent()->getDataLayout();
  std::optional<FromParameters> Sizes;
  SmallVector<const CallBase *, 4> Found;
  SmallSetVector<Way, 2> Ways;
  for (const Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || !Call->arg_size() || !MayAllocate(*Call)) continue;
    Leaving Pointer(Layout);
    begin(Pointer, *Call);
    std::optional<Way> Only = Pointer.only();
    if (!Only) continue;
    Ways.insert(*Only);
    if (!Sizes) Sizes.emplace(F, Layout);
    if (sizeIsFromParameters(*Call, *Sizes)) Found.push_back(Call);
  }
  if (Ways.size() == 1) ForCaller.insert(Found.begin(), Found.end());
}

} // namespace gpumemprof
