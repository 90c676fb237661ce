//===- Coroutines.cpp - marks before CoroSplit, frames after it -----------===//
#include "frames/Coroutines.h"

#include "abi/RuntimeABI.h"
#include "facts/Budget.h"
#include "frames/FrameInserter.h"
#include "sites/Sites.h"

#include "gpumemprof/hooks.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr StringLiteral NameAttribute = "gpumemprof-coroutine";
constexpr StringLiteral ProfiledAttribute = "gpumemprof-profiled";
constexpr StringLiteral BudgetAttribute = "gpumemprof-budget";
constexpr StringLiteral Mark = "__gpumemprof_coroutine_call";

/// A function that is never linked, because every mark is removed before code is made. Its memory
/// effects are unknown, so the optimiser leaves each mark before its call.
Function *markFunction(Module &M) {
  if (Function *Known = M.getFunction(Mark)) return Known;
  LLVMContext &Ctx = M.getContext();
  auto *Type =
      FunctionType::get(Type::getVoidTy(Ctx), {PointerType::getUnqual(Ctx)}, /*isVarArg=*/true);
  auto *F = Function::Create(Type, GlobalValue::ExternalLinkage, Mark, M);
  F->setDoesNotThrow();
  F->addFnAttr(Attribute::WillReturn);
  F->addFnAttr(Attribute::NoCallback);
  F->setOnlyAccessesInaccessibleMemory();
  return F;
}

void instrumentPart(Function &F, SiteTable &Table, RuntimeABI &ABI) {
  FramePlan Plan;
  Plan.Profiled = F.hasFnAttribute(ProfiledAttribute);
  StringRef Name = F.getFnAttribute(NameAttribute).getValueAsString();
  std::optional<Budget> May = Budget::parse(F.getFnAttribute(BudgetAttribute).getValueAsString());
  Plan.Scope = Table.add(
      {scopeSite(F, Name, Plan.Profiled ? GPUMEMPROF_SITE_PROFILED : 0, May ? &*May : nullptr)})[0];
  SmallVector<Instruction *, 8> Marks;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    if (!Call || !Call->getCalledFunction() || Call->getCalledFunction()->getName() != Mark)
      continue;
    Marks.push_back(Call);
    if (isa<ConstantPointerNull>(Call->getArgOperand(0))) {
      Plan.CallEndedBefore.push_back(Call);
      Plan.HasLineCalls = true;
      continue;
    }
    Plan.Sites.push_back({Call, Call->getArgOperand(0), SiteStore::Unknown,
                          SmallVector<Value *, 4>(drop_begin(Call->args()))});
  }
  for (BasicBlock &Block : F)
    if (CallInst *Tail = Block.getTerminatingMustTailCall()) Plan.PopBefore.push_back({Tail, {}});
  Plan.ComesBackAfter = comesBackAfter(F, [](const LandingPadInst &) { return true; });
  FrameInserter(F, ABI).insert(Plan);
  for (Instruction *I : Marks) I->eraseFromParent();
  F.removeFnAttr(NameAttribute);
  F.removeFnAttr(ProfiledAttribute);
  F.removeFnAttr(BudgetAttribute);
}

} // namespace

void markCoroutine(Function &F, StringRef DisplayName, bool Profiled, const Budget *May) {
  F.addFnAttr(NameAttribute, DisplayName);
  if (Profiled) F.addFnAttr(ProfiledAttribute);
  if (May) F.addFnAttr(BudgetAttribute, May->text());
  F.removeFnAttr(Attribute::AlwaysInline);
  F.removeFnAttr(Attribute::InlineHint);
  F.addFnAttr(Attribute::NoInline);
}

bool isMarkedCoroutine(const Function &F) {
  return F.hasFnAttribute(NameAttribute);
}

void markCoroutineCall(CallBase &Call, Constant *Site, ArrayRef<Value *> Operands) {
  IRBuilder<> B(&Call);
  SmallVector<Value *, 5> Arguments{Site};
  append_range(Arguments, Operands);
  B.CreateCall(markFunction(*Call.getModule()), Arguments);
}

void markCallEnded(Instruction &Before) {
  IRBuilder<> B(&Before);
  B.CreateCall(markFunction(*Before.getModule()), {ConstantPointerNull::get(B.getPtrTy())});
}

bool instrumentSplitCoroutines(Module &M, RuntimeABI &ABI) {
  SiteTable Table(M);
  bool Any = false;
  for (Function &F : M) {
    if (F.isDeclaration() || !F.hasFnAttribute(NameAttribute) || F.isPresplitCoroutine()) continue;
    instrumentPart(F, Table, ABI);
    Any = true;
  }
  if (Function *F = M.getFunction(Mark); F && F->use_empty()) F->eraseFromParent();
  return Any;
}

} // namespace gpumemprof
