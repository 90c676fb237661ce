//===- Reachability.cpp - the module's call graph, backwards --------------===//
#include "analysis/Reachability.h"

#include "analysis/ClosedUnit.h"
#include "analysis/LibraryCallbacks.h"
#include "analysis/Roles.h"
#include "base/IRQueries.h"
#include "gpumemprof/hooks.h"
#include "names/CudaNames.h"
#include "names/LibraryCalls.h"
#include "names/NameKinds.h"
#include "names/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpumemprof {
namespace {

/// The call begins a GPUMEMPROF_SCOPE, each run of which is counted. A block that only has a budget
/// does not count. Nor does a measured scope: a function may begin one for its callers, and a frame
/// of that function would end it at once.
bool entersCountedBlock(const CallBase &Call) {
  const Function *F = calledFunction(Call);
  StringRef Name = F ? headerName(F->getName()) : "";
  if (Name != "gpumemprof_scope_open_" || Call.arg_empty()) return false;
  auto *Site = dyn_cast<GlobalVariable>(Call.getArgOperand(0)->stripPointerCasts());
  auto *Flags = Site && Site->hasInitializer()
                    ? dyn_cast_or_null<ConstantInt>(Site->getInitializer()->getAggregateElement(1u))
                    : nullptr;
  return !Flags || Flags->getZExtValue() & GPUMEMPROF_SITE_PROFILED;
}

/// \p F is a destructor or ends a shared_ptr, so its calls through pointers are of destructors.
bool destroys(const Function &F) {
  return isDestructor(F.getName()) || F.getName().starts_with("_ZNSt16_Sp_counted_base") ||
         F.getName().contains("16__release_sharedEv");
}

bool usesMemoryOfDevices(StringRef Name, const Filter &UserFilter) {
  return isCudaUse(Name) || libraryUseOf(Name, UserFilter) != GPUMEMPROF_LIBRARY_NOTHING;
}

/// An operation in \p F has no site of its own, so it has the line of the latest call that has one.
/// That of the launch in a kernel's stub is in the call of __cudaPushCallConfiguration.
bool leavesSiteToCaller(const Function &F, const Roles &FunctionRoles) {
  return FunctionRoles.of(F) == Role::Transparent && !isKernelStub(F.getName());
}

} // namespace

Reachability::Reachability(Module &M, const Roles &FunctionRoles, SourceFacts &Facts,
                           const Filter &UserFilter, Mode WhichFunctions)
    : FunctionRoles(FunctionRoles), UserFilter(UserFilter), Harmless(M, Facts, UserFilter),
      WhichFunctions(WhichFunctions), BehindPointers(functionsBehindPointers(M, Harmless)) {
  compute(M);
  // An assumption that this file itself contradicts is not made in it.
  for (HarmlessCalls::Indirectly Way : {HarmlessCalls::Streams, HarmlessCalls::Exceptions}) {
    if (Harmless.distrusts(Way) || none_of(functionsCalledBy(M, Way), [&](const Function *F) {
          return mayMove(*F) || Harmless.isListedAsAllocating(*F);
        }))
      continue;
    Harmless.distrust(Way);
    BehindPointers = functionsBehindPointers(M, Harmless);
    compute(M);
  }
}

void Reachability::compute(Module &M) {
  Nodes.clear();
  Order.clear();
  PointersMayAllocate = PointersMayUse = false;
  auto Always = [](const Function &) { return true; };
  build(M);
  auto NoStub = [](const Function &F) { return !isKernelStub(F.getName()); };
  for (auto &Entry : Nodes) {
    Node &N = Entry.second;
    N.Definite = N.CallsTable;
    N.Itself = N.CallsTable || N.Uses;
  }
  propagate(&Node::Uses, NoStub, /*WithNoReturn=*/false);
  for (auto &Entry : Nodes) Entry.second.Uses &= NoStub(*Entry.first);
  propagate(&Node::Definite, Always, /*WithNoReturn=*/true);
  propagate(&Node::Takes, Always, /*WithNoReturn=*/true);
  propagate(
      &Node::TakesElsewhere, [](const Function &F) { return !destroys(F); },
      /*WithNoReturn=*/false);
  propagate(
      &Node::Itself, [&](const Function &F) { return leavesSiteToCaller(F, FunctionRoles); },
      /*WithNoReturn=*/true);
  for (auto &Entry : Nodes) {
    Node &N = Entry.second;
    // A function that does not return counts as an error handler, unless it certainly allocates.
    bool ByNoReturn = any_of(N.NoReturnCallees,
                             [&](const Function *F) { return Nodes.find(F)->second.Definite; });
    N.May = N.CallsTable || N.CallsUnknown || N.Counted || ByNoReturn;
  }
  propagate(&Node::May, Always, /*WithNoReturn=*/false);
  for (auto &Entry : Nodes)
    Entry.second.Leaves |= any_of(Entry.second.NoReturnCallees, [&](const Function *F) {
      return !F->doesNotThrow() && isWronglyTrusted(*F);
    });
  propagate(&Node::Leaves, Always, /*WithNoReturn=*/true);
  if (BehindPointers) followPointers();
  findCycles();
}

void Reachability::build(Module &M) {
  for (const Function &F : M) {
    if (F.isDeclaration() || isOurs(F.getName())) continue;
    Nodes.try_emplace(&F);
    Order.push_back(&F);
  }
  for (const Function *F : Order) {
    Node &N = Nodes[F];
    N.Counted = FunctionRoles.isProfiled(*F);
    bool HasNoSites = leavesSiteToCaller(*F, FunctionRoles);
    for (const Instruction &I : instructions(*F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call) continue;
      N.Counted |= entersCountedBlock(*Call);
      const Function *Callee = calledFunction(*Call);
      N.Uses |= HasNoSites && Callee && usesMemoryOfDevices(Callee->getName(), UserFilter);
      switch (classify(*Call, Callee)) {
      case CallTarget::Harmless:
        N.Leaves |= Callee && !Callee->doesNotThrow() && Harmless.isErrorHandlerElsewhere(*Callee);
        break;
      case CallTarget::Table:
        N.CallsTable = true;
        N.Takes |= Callee->isDeclaration() && !isCudaFree(Callee->getName());
        if (!Callee->isDeclaration()) N.Callees.push_back(Callee);
        break;
      case CallTarget::Unknown:
        N.CallsUnknown = N.TakesElsewhere = true;
        break;
      case CallTarget::Pointer:
        N.CallsPointer = N.TakesElsewhere = true;
        break;
      case CallTarget::Defined:
        if (isErrorHandler(*Callee)) N.NoReturnCallees.push_back(Callee);
        else N.Callees.push_back(Callee);
        break;
      }
    }
  }
}

/// Pointers are not distinguished: when one of the functions that they lead to may move memory,
/// every call through a pointer may. These calls are not part of cycles, because a call in return
/// position keeps its level whether its target is known or not.
void Reachability::followPointers() {
  PointersMayAllocate = any_of(*BehindPointers, [&](const Function *F) {
    auto It = Nodes.find(F);
    if (It == Nodes.end()) return isCudaEntry(F->getName()) || !Harmless.isHarmless(*F);
    if (FunctionRoles.allocator(*F)) return true;
    return isErrorHandler(*F) ? It->second.Definite : It->second.May;
  });
  PointersMayUse = any_of(*BehindPointers, [&](const Function *F) {
    auto It = Nodes.find(F);
    return It != Nodes.end() && It->second.Uses;
  });
  auto AddCallers = [&](bool Node::*Flag) {
    for (auto &Entry : Nodes) Entry.second.*Flag |= Entry.second.CallsPointer;
    propagate(Flag, [](const Function &) { return true; }, /*WithNoReturn=*/false);
  };
  if (PointersMayAllocate) AddCallers(&Node::May);
  if (PointersMayUse) AddCallers(&Node::Uses);
}

/// Sets \p Flag in the callers of each function that has it and for which \p Through is true.
void Reachability::propagate(bool Node::*Flag, function_ref<bool(const Function &)> Through,
                             bool WithNoReturn) {
  DenseMap<const Function *, SmallVector<const Function *, 4>> Callers;
  SmallVector<const Function *, 32> Work;
  for (const Function *F : Order) {
    Node &N = Nodes[F];
    for (const Function *Callee : N.Callees) Callers[Callee].push_back(F);
    if (WithNoReturn)
      for (const Function *Callee : N.NoReturnCallees) Callers[Callee].push_back(F);
    if (N.*Flag) Work.push_back(F);
  }
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    if (!Through(*F)) continue;
    for (const Function *Caller : Callers.lookup(F)) {
      Node &N = Nodes[Caller];
      if (N.*Flag) continue;
      N.*Flag = true;
      Work.push_back(Caller);
    }
  }
}

/// Tarjan's algorithm, without recursion, so that long call chains need no deep stack.
void Reachability::findCycles() {
  struct Visit {
    const Function *F;
    unsigned Next;
  };
  DenseMap<const Function *, unsigned> Index, Low;
  SmallVector<const Function *, 32> Stack;
  SmallVector<Visit, 32> Path;
  unsigned Count = 0, Cycles = 0;
  auto Enter = [&](const Function *F) {
    Index[F] = Low[F] = ++Count;
    Stack.push_back(F);
    Path.push_back({F, 0});
  };
  for (const Function *Root : Order) {
    if (Index.count(Root)) continue;
    Enter(Root);
    while (!Path.empty()) {
      const Function *F = Path.back().F;
      Node &N = Nodes[F];
      unsigned Next = Path.back().Next++;
      if (Next < N.Callees.size()) {
        const Function *Callee = N.Callees[Next];
        if (!Index.count(Callee)) Enter(Callee);
        else if (!Nodes[Callee].Cycle) Low[F] = std::min(Low[F], Index[Callee]);
        continue;
      }
      Path.pop_back();
      if (!Path.empty()) {
        unsigned &Parent = Low[Path.back().F];
        Parent = std::min(Parent, Low[F]);
      }
      if (Low[F] != Index[F]) continue;
      ++Cycles;
      const Function *Member;
      do {
        Member = Stack.pop_back_val();
        Nodes[Member].Cycle = Cycles;
      } while (Member != F);
    }
  }
}

bool Reachability::mayAllocate(const Function &F) {
  auto MayAllocate = [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && mayAllocate(*Call);
  };
  if (WhichFunctions == Mode::Every) return any_of(instructions(F), MayAllocate);
  auto It = Nodes.find(&F);
  return It != Nodes.end() && (It->second.May || It->second.Uses);
}

bool Reachability::mayAllocate(const CallBase &Call) {
  const Function *Callee;
  CallTarget T = classify(Call, Callee);
  if (WhichFunctions != Mode::Every) return moves(T, Callee) || uses(T, Callee);
  return T != CallTarget::Harmless || (Callee && !Callee->isIntrinsic());
}

bool Reachability::mayMove(const Function &F) {
  if (WhichFunctions == Mode::Every) return mayAllocate(F);
  auto It = Nodes.find(&F);
  return It != Nodes.end() && It->second.May;
}

bool Reachability::mayMove(const CallBase &Call) {
  const Function *Callee;
  CallTarget T = classify(Call, Callee);
  return moves(T, Callee);
}

/// Memory may move in a call of this kind.
bool Reachability::moves(CallTarget T, const Function *Callee) const {
  if (T == CallTarget::Pointer) return PointersMayAllocate;
  if (T != CallTarget::Defined) return T != CallTarget::Harmless;
  const Node &N = Nodes.find(Callee)->second;
  return isErrorHandler(*Callee) ? N.Definite : N.May;
}

/// A call of this kind may have an operation with the line of the latest site.
bool Reachability::uses(CallTarget T, const Function *Callee) const {
  if (T == CallTarget::Pointer) return PointersMayUse;
  return T == CallTarget::Defined && Nodes.find(Callee)->second.Uses;
}

bool Reachability::mayTake(const CallBase &Call) {
  const Function *Callee;
  CallTarget T = classify(Call, Callee);
  if (T == CallTarget::Harmless) return false;
  auto It = Callee ? Nodes.find(Callee) : Nodes.end();
  if (It == Nodes.end()) return T != CallTarget::Table || !isCudaFree(Callee->getName());
  return It->second.Takes || (It->second.TakesElsewhere && !destroys(*Callee));
}

const Function *Reachability::entered(const CallBase &Call) {
  const Function *Callee;
  CallTarget T = classify(Call, Callee);
  bool Allocator = T == CallTarget::Table && !Callee->isDeclaration();
  return T == CallTarget::Defined || Allocator ? Callee : nullptr;
}

bool Reachability::isTable(const CallBase &Call) {
  const Function *Callee;
  return classify(Call, Callee) == CallTarget::Table;
}

bool Reachability::callsBack(const CallBase &Call) {
  const Function *F = calledFunction(Call);
  return F && F->isDeclaration() && HarmlessCalls::callbackArgument(*F) >= 0;
}

bool Reachability::isWronglyPromised(const Function &F) {
  auto It = Nodes.find(&F);
  return It != Nodes.end() && It->second.May && Harmless.isPromised(F);
}

bool Reachability::needsSite(const CallBase &Call) {
  const Function *Callee = calledFunction(Call);
  if (Callee && (Harmless.mayRunProgramCode(*Callee) || isWronglyTrusted(*Callee))) return true;
  return mayAllocate(Call);
}

/// A function that does not return is called after an error. A frame in each function that calls
/// one would cost more than all other frames. Its calls have a site where the function has a frame
/// for another reason; what remains is checked at run time.
bool Reachability::isErrorHandler(const Function &F) const {
  return F.doesNotReturn() && !Harmless.isListedAsAllocating(F);
}

bool Reachability::isWronglyTrusted(const Function &F) const {
  auto It = Nodes.find(&F);
  return It != Nodes.end() && isErrorHandler(F) && It->second.May && !It->second.Definite;
}

bool Reachability::mayLeaveFrames(const Function &F) const {
  auto It = Nodes.find(&F);
  return It != Nodes.end() && It->second.Leaves;
}

std::string Reachability::reason(const CallBase &Call) {
  const Function *Callee;
  CallTarget T = classify(Call, Callee);
  if (!Callee) return "calls through a pointer";
  std::string Calls = "calls '" + displayName(*Callee) + "'";
  if (T == CallTarget::Unknown) return Calls + ", whose body is not in this file";
  if (T == CallTarget::Defined && !moves(T, Callee))
    return Calls + ", which uses memory of a device";
  if (T == CallTarget::Defined) return Calls + ", which may allocate or free";
  return Calls;
}

bool Reachability::callsCudaItself(const Function &F) const {
  auto It = Nodes.find(&F);
  return It != Nodes.end() && It->second.Itself;
}

bool Reachability::isRecursive(const Function &Caller, const Function &Callee) const {
  auto From = Nodes.find(&Caller), To = Nodes.find(&Callee);
  return From != Nodes.end() && To != Nodes.end() && From->second.Cycle == To->second.Cycle;
}

} // namespace gpumemprof
