//===- LaunchStubs.cpp ----------------------------------------------------===//
#include "hooks/LaunchStubs.h"

#include "base/IRQueries.h"
#include "facts/SourceFacts.h"
#include "names/NameKinds.h"

#include "gpumemprof/hooks.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr StringLiteral PopName = "__cudaPopCallConfiguration",
                        GetKernelName = "__cudaGetKernel"; // (handle, function)
constexpr unsigned PopArguments = 4;
constexpr unsigned ParametersFromEnd = 3; // the ABI splits the structures before them
constexpr unsigned MostSteps = 2;         // of a template: its function, and a second one

using FunctionTest = function_ref<bool(const Function &)>;

bool isNamed(const Function &F, StringRef Name) {
  return F.isDeclaration() && F.getName() == Name;
}

bool launchesInOwnDefault(const Function &F) {
  return isNamed(F, "cudaLaunchKernel_ptsz") || isNamed(F, "__cudaLaunchKernel_ptsz");
}

bool launches(const Function &F) {
  return isNamed(F, "cudaLaunchKernel") || isNamed(F, "__cudaLaunchKernel") ||
         launchesInOwnDefault(F);
}

SmallVector<CallBase *, 2> callsIn(Function &F, FunctionTest IsWanted) {
  SmallVector<CallBase *, 2> Found;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (Call && Call->getCalledFunction() && IsWanted(*Call->getCalledFunction()))
      Found.push_back(Call);
  }
  return Found;
}

CallBase *onlyCallIn(Function &F, FunctionTest IsWanted) {
  SmallVector<CallBase *, 2> Found = callsIn(F, IsWanted);
  return Found.size() == 1 ? Found[0] : nullptr;
}

/// The calls from \p F to the stub, each the only one of its kind in its function.
SmallVector<CallBase *, 2> wayFrom(Function &F) {
  SmallVector<CallBase *, 2> Way;
  auto IsStub = [](const Function &To) {
    return !To.isDeclaration() && isKernelStub(To.getName());
  };
  for (Function *At = &F; Way.size() < MostSteps; At = Way.back()->getCalledFunction()) {
    CallBase *Step = onlyCallIn(*At, IsStub);
    if (!Step || Step->getFunctionType() != Step->getCalledFunction()->getFunctionType()) break;
    Way.push_back(Step);
  }
  return Way;
}

/// Follows the numbers in the first block of a stub, because that of nvcc counts its parameters in
/// a variable. A variable of which anything else than loads and stores knows is not followed.
class Counting {
public:
  void note(const Instruction &I) {
    if (auto *Store = dyn_cast<StoreInst>(&I)) return stored(*Store);
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      if (auto At = Variables.find(Load->getPointerOperand()); At != Variables.end())
        Numbers[&I] = At->second;
      return;
    }
    if (!isa<SExtInst, ZExtInst>(I) && I.getOpcode() != Instruction::Add) return;
    uint64_t Sum = 0;
    for (const Value *Operand : I.operands()) {
      std::optional<uint64_t> Number = numberOf(*Operand);
      if (!Number) return;
      Sum += *Number;
    }
    Numbers[&I] = Sum;
  }

  std::optional<uint64_t> numberOf(const Value &V) const {
    if (auto *C = dyn_cast<ConstantInt>(&V)) return C->getZExtValue();
    auto Known = Numbers.find(&V);
    return Known == Numbers.end() ? std::nullopt : std::optional(Known->second);
  }

private:
  void stored(const StoreInst &Store) {
    const Value *To = Store.getPointerOperand();
    std::optional<uint64_t> Number = numberOf(*Store.getValueOperand());
    if (Number && isCounter(*To)) Variables[To] = *Number;
    else Variables.erase(To);
  }

  static bool isCounter(const Value &V) {
    return isa<AllocaInst>(V) &&
           all_of(V.users(), [&](const User *U) { return isPlainAccess(*U, V); });
  }

  DenseMap<const Value *, uint64_t> Variables, Numbers;
};

/// The parameters whose addresses the first block stores in the array.
DenseMap<unsigned, Value *> storedIn(const AllocaInst &Array, BasicBlock &Block) {
  const DataLayout &Layout = Block.getModule()->getDataLayout();
  DenseMap<unsigned, Value *> Result;
  Counting Count;
  for (Instruction &I : Block) {
    Count.note(I);
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store || getUnderlyingObject(Store->getPointerOperand()) != &Array) continue;
    APInt Offset(Layout.getIndexTypeSizeInBits(Array.getType()), 0);
    auto *Element = dyn_cast<GEPOperator>(Store->getPointerOperand());
    auto IndexOf = [&](Value &Index, APInt &Number) {
      std::optional<uint64_t> Known = Count.numberOf(Index);
      if (Known) Number = APInt(64, *Known);
      return Known.has_value();
    };
    if (Element && !Element->accumulateConstantOffset(Layout, Offset, IndexOf))
      return DenseMap<unsigned, Value *>();
    Result[unsigned(Offset.getZExtValue() / Layout.getPointerSize())] = Store->getValueOperand();
  }
  return Result;
}

/// CUDA gets the function itself, or the handle that it gave for it.
bool isLaunchOf(const CallBase &Launch, const Function &F) {
  if (Launch.arg_size() < ParametersFromEnd) return false;
  const Value *What = Launch.getArgOperand(0)->stripPointerCasts();
  if (What == &F) return true;
  auto *Load = dyn_cast<LoadInst>(What);
  CallBase *Get = Load ? onlyCallIn(const_cast<Function &>(*Launch.getFunction()),
                                    [](const Function &To) { return isNamed(To, GetKernelName); })
                       : nullptr;
  return Get && Get->arg_size() == 2 && Get->getArgOperand(0) == Load->getPointerOperand() &&
         Get->getArgOperand(1)->stripPointerCasts() == &F;
}

AllocaInst *arrayOf(const CallBase &Launch) {
  return dyn_cast<AllocaInst>(const_cast<Value *>(
      getUnderlyingObject(Launch.getArgOperand(Launch.arg_size() - ParametersFromEnd))));
}

/// Known wherever the stub asks for the configuration.
bool isPlace(const Value *V, const Function &Stub) {
  auto *I = dyn_cast_or_null<Instruction>(V);
  return I ? I->getParent() == &Stub.getEntryBlock() : isa_and_nonnull<Argument>(V);
}

} // namespace

CallBase *onlyLaunchIn(Function &F) {
  return onlyCallIn(F, launches);
}

std::optional<LaunchStub> launchStub(Function &F, SourceFacts &Facts) {
  const KernelParameters *Kernel = F.isDeclaration() ? nullptr : Facts.kernel(F.getName());
  if (!Kernel || Kernel->TooMany || Kernel->Words.size() > GPUMEMPROF_LAUNCH_VALUES || F.isVarArg())
    return std::nullopt;
  LaunchStub Result;
  Result.F = &F;
  Result.Kernel = Kernel;
  Result.Way = wayFrom(F);
  Result.Stub = Result.Way.empty() ? &F : Result.Way.back()->getCalledFunction();
  Function &Stub = *Result.Stub;
  Result.Pop = onlyCallIn(Stub, [](const Function &To) { return isNamed(To, PopName); });
  if (!Result.Pop || !isa<CallInst>(Result.Pop) || Result.Pop->arg_size() != PopArguments)
    return std::nullopt;
  Result.Launches = callsIn(Stub, [](const Function &To) {
    return launches(To) || (!To.isDeclaration() && To.getName().contains("__cudaLaunchKernel_") &&
                            onlyLaunchIn(const_cast<Function &>(To)));
  });
  if (Result.Launches.empty()) return std::nullopt;
  Function *Launcher = Result.Launches[0]->getCalledFunction();
  CallBase *Inner = Launcher->isDeclaration() ? nullptr : onlyLaunchIn(*Launcher);
  Result.OwnDefault = launchesInOwnDefault(Inner ? *Inner->getCalledFunction() : *Launcher);
  AllocaInst *Array = nullptr;
  for (const CallBase *Launch : Result.Launches) {
    if (!isLaunchOf(*Launch, F) || Launch->getCalledFunction() != Launcher) return std::nullopt;
    AllocaInst *Of = arrayOf(*Launch);
    if (!Of || (Array && Of != Array)) return std::nullopt;
    Array = Of;
  }
  Result.Parameters = storedIn(*Array, Stub.getEntryBlock());
  bool AllKnown = all_of(Kernel->Words, [&](const KernelWord &W) {
    return isPlace(Result.Parameters.lookup(W.Parameter), Stub);
  });
  return AllKnown ? std::optional(std::move(Result)) : std::nullopt;
}

} // namespace gpumemprof
