//===- HostUse.cpp --------------------------------------------------------===//
#include "analysis/HostUse.h"

#include "base/IRQueries.h"
#include "facts/SourceFacts.h"
#include "names/NameKinds.h"
#include "names/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// Also what the CUDA headers make of it for a typed pointer.
bool allocatesManaged(const CallBase &Call) {
  const Function *Callee = calleeOf(Call);
  if (!Callee || !Call.arg_size()) return false;
  StringRef Symbol = Callee->getName();
  if (Symbol == "cudaMallocManaged" || Symbol == "cuMemAllocManaged") return true;
  return Symbol.contains("17cudaMallocManagedI") &&
         StringRef(displayName(Symbol)).starts_with("cudaMallocManaged<");
}

/// Functions that are the same for memory of cudaMalloc, and that neither read memory nor keep its
/// address for the host.
bool isForAnyMemory(StringRef Name) {
  static constexpr StringLiteral Names[] = {
      "cudaFree",         "cudaFreeAsync",   "cuMemFree_v2",   "cuMemFreeAsync",
      "cudaMemset",       "cudaMemsetAsync", "cudaMemset2D",   "cudaMemset2DAsync",
      "cuMemsetD8_v2",    "cuMemsetD16_v2",  "cuMemsetD32_v2", "cuMemsetD8Async",
      "cuMemsetD16Async", "cuMemsetD32Async"};
  return is_contained(Names, Name);
}

class Followed {
public:
  explicit Followed(SourceFacts &Facts) : Facts(Facts) {}

  /// Whether nothing else has the address of the variable: what is loaded of it is followed.
  bool hasOnlyOwner(const Value &Variable) {
    return all_of(Variable.users(), [&](const User *U) {
      if (auto *Load = dyn_cast<LoadInst>(U)) return add(*Load);
      if (isPlainAccess(*U, Variable)) return true;
      auto *Call = dyn_cast<CallBase>(U);
      return Call && allocatesManaged(*Call) && Call->getArgOperand(0) == &Variable &&
             count(Call->args(), &Variable) == 1;
    });
  }

  bool goesToDevicesOnly() {
    while (!Work.empty()) {
      const Value *V = Work.pop_back_val();
      if (!all_of(V->users(), [&](const User *U) { return isHarmless(*U, *V); })) return false;
    }
    return true;
  }

private:
  bool add(const Instruction &I) {
    if (Seen.insert(&I).second) Work.push_back(&I);
    return true;
  }

  bool isHarmless(const User &U, const Value &V) {
    if (isa<CastInst, PHINode, SelectInst, GetElementPtrInst>(U)) return add(cast<Instruction>(U));
    if (isa<ICmpInst>(U)) return true;
    auto *Call = dyn_cast<CallBase>(&U);
    if (!Call || Call->getCalledOperand() == &V) return false;
    const Function *Callee = calleeOf(*Call);
    return Callee && (isKernelStub(Callee->getName()) || Facts.kernel(Callee->getName()) ||
                      (Callee->isDeclaration() && isForAnyMemory(Callee->getName())));
  }

  SourceFacts &Facts;
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Work;
};

} // namespace

bool isForDevicesOnly(const CallBase &Allocation, SourceFacts &Facts) {
  if (!allocatesManaged(Allocation)) return false;
  const Value *Variable = Allocation.getArgOperand(0);
  auto *Global = dyn_cast<GlobalVariable>(Variable);
  if (!isa<AllocaInst>(Variable) && !(Global && Global->hasLocalLinkage())) return false;
  Followed Pointer(Facts);
  return Pointer.hasOnlyOwner(*Variable) && Pointer.goesToDevicesOnly();
}

} // namespace gpumemprof
