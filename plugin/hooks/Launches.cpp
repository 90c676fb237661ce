//===- Launches.cpp -------------------------------------------------------===//
#include "hooks/Launches.h"

#include "abi/RuntimeABI.h"
#include "analysis/Roles.h"
#include "base/Compat.h"
#include "facts/SourceFacts.h"
#include "hooks/LaunchCopies.h"
#include "hooks/LaunchStubs.h"
#include "hooks/Uses.h"
#include "sites/SiteTable.h"

#include "gpumemprof/hooks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr StringLiteral PushName = "__cudaPushCallConfiguration";

/// The branch that asks whether a configuration was pushed; null: there is none.
BranchInst *branchOn(CallBase &Push) {
  for (User *U : Push.users())
    if (auto *Compared = dyn_cast<ICmpInst>(U))
      for (User *Of : Compared->users())
        if (auto *Branch = dyn_cast<BranchInst>(Of); Branch && Branch->isConditional())
          return Branch;
  return nullptr;
}

class Launches {
public:
  Launches(Module &M, const UseSites &Sites) : M(M), ABI(Sites.ABI), Sites(Sites), Copies(M, ABI) {}

  bool report() {
    Function *Push = M.getFunction(PushName);
    if (!Push || !Push->isDeclaration()) return false;
    MapVector<Function *, SmallVector<CallBase *, 4>> Pushes;
    for (User *U : Push->users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledOperand() == Push)
        Pushes[Call->getFunction()].push_back(Call);
    bool Any = false;
    for (auto &[F, Calls] : Pushes) Any |= reportThoseIn(*F, Calls);
    return Any;
  }

private:
  struct Pair {
    CallBase *Push, *Launch;
    const LaunchStub *Stub;
  };

  bool reportThoseIn(Function &F, ArrayRef<CallBase *> Pushes) {
    Role R = Sites.FunctionRoles.of(F);
    if (R != Role::User && R != Role::Coroutine) return false;
    SmallVector<Pair, 4> Pairs = pairsOf(F, Pushes);
    for (const Pair &P : Pairs) replace(P);
    return !Pairs.empty();
  }

  /// The calls of stubs, each with the push that it belongs to.
  SmallVector<Pair, 4> pairsOf(Function &F, ArrayRef<CallBase *> Pushes) {
    DominatorTree Tree(F);
    SmallVector<Pair, 4> Pairs;
    SmallPtrSet<CallBase *, 4> Taken;
    for (BasicBlock &Block : F)
      for (Instruction &I : Block) {
        auto *Call = dyn_cast<CallBase>(&I);
        const LaunchStub *Stub =
            Call && Call->getCalledFunction() ? stub(*Call->getCalledFunction()) : nullptr;
        if (!Stub || Call->getFunctionType() != Stub->F->getFunctionType()) continue;
        CallBase *Push = pushBefore(Block, Pushes, Tree);
        if (!Push || !Taken.insert(Push).second) return {};
        Pairs.push_back({Push, Call, Stub});
      }
    return Pairs;
  }

  /// The last of the pushes that have to succeed before the block is reached. Those of launches
  /// among the arguments do not have to.
  static CallBase *pushBefore(const BasicBlock &Block, ArrayRef<CallBase *> Pushes,
                              const DominatorTree &Tree) {
    CallBase *Last = nullptr;
    unsigned Deepest = 0;
    for (CallBase *Push : Pushes) {
      BranchInst *Branch = branchOn(*Push);
      if (!Branch || !Tree.isReachableFromEntry(Branch->getParent())) continue;
      unsigned Level = Tree.getNode(Branch->getParent())->getLevel();
      for (BasicBlock *Next : Branch->successors())
        if (Tree.dominates(BasicBlockEdge(Branch->getParent(), Next), &Block) &&
            (!Last || Level > Deepest)) {
          Last = Push;
          Deepest = Level;
        }
    }
    return Last;
  }

  const LaunchStub *stub(Function &F) {
    auto [Known, New] = Stubs.try_emplace(&F);
    if (New)
      if (std::optional<LaunchStub> Stub = launchStub(F, Sites.Facts))
        Known->second = std::make_unique<LaunchStub>(std::move(*Stub));
    return Known->second.get();
  }

  void replace(const Pair &P) {
    Constant *Site = Sites.of(*P.Push);
    callWith(*P.Launch, Copies.of(*P.Stub), *record(Site, P.Stub->F));
    P.Push->setCalledFunction(&Copies.jumpTo(*P.Push->getCalledFunction()));
  }

  GlobalVariable *record(Constant *Site, Function *Kernel) {
    Type *I64 = Type::getInt64Ty(M.getContext());
    StructType *Layout = StructType::get(M.getContext(), {ABI.pointer(), ABI.pointer(), I64});
    static_assert(sizeof(gpumemprof_launch) == 24);
    auto *G = new GlobalVariable(
        M, Layout, false, GlobalValue::PrivateLinkage,
        ConstantStruct::get(Layout, Site, Kernel, ConstantInt::get(I64, 0)), "gpumemprof.launch");
    G->setAlignment(Align(8));
    keepSanitizersOut(*G);
    return G;
  }

  Module &M;
  RuntimeABI &ABI;
  const UseSites &Sites;
  DenseMap<Function *, std::unique_ptr<LaunchStub>> Stubs; // null: the function is none
  LaunchCopies Copies;
};

} // namespace

bool reportLaunches(Module &M, const UseSites &Sites) {
  return Launches(M, Sites).report();
}

} // namespace gpumemprof
