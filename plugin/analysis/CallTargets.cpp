//===- CallTargets.cpp - what kind of function a call leads to ------------===//
#include "analysis/CallTargets.h"

#include "analysis/HarmlessCalls.h"
#include "analysis/Roles.h"
#include "base/Compat.h"
#include "base/IRQueries.h"
#include "names/CudaNames.h"
#include "names/NameKinds.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace gpumemprof {

const Function *calledFunction(const CallBase &Call) {
  const Value *Called = Call.getCalledOperand()->stripPointerCasts();
  while (auto *Alias = dyn_cast<GlobalAlias>(Called)) {
    if (Alias->isInterposable()) return nullptr;
    Called = Alias->getAliasee()->stripPointerCasts();
  }
  return dyn_cast<Function>(Called);
}

namespace {

/// The intrinsic runs a coroutine.
bool resumesCoroutine(Intrinsic::ID ID) {
  return ID == Intrinsic::coro_resume || ID == Intrinsic::coro_destroy ||
         compat::isAwaitSuspend(ID);
}

/// The text has a call instruction, as "call f" or "callq *%rax". A "syscall" is none.
bool callsByAssembly(const InlineAsm &Assembly) {
  StringRef Text = Assembly.getAsmString();
  for (size_t At = Text.find("call"); At != StringRef::npos; At = Text.find("call", At + 1))
    if (!At || !isAlpha(Text[At - 1])) return true;
  return false;
}

/// The function that qsort() and similar ones will call, or \p F if it is not one of these; null
/// when the function is not known.
const Function *behindCallback(const CallBase &Call, const Function &F) {
  int Argument = HarmlessCalls::callbackArgument(F);
  if (Argument < 0) return &F;
  if (unsigned(Argument) >= Call.arg_size()) return nullptr;
  return asFunction(Call.getArgOperand(unsigned(Argument)));
}

/// The call may move memory although its function is ours. With gpumemprof_pool_* the program
/// reports its own allocations. gpumemprof_context_capture hands work over that may allocate.
/// gpumemprof_leaks and gpumemprof_step call functions of the program, which may free.
bool reportsMemory(StringRef LinkageName) {
  StringRef Name = headerName(LinkageName);
  Name.consume_front("__");
  return Name == "gpumemprof_context_capture" || Name == "gpumemprof_leaks" ||
         Name == "gpumemprof_step" || Name.starts_with("gpumemprof_pool_");
}

} // namespace

CallTarget classify(const CallBase &Call, const Roles &FunctionRoles, HarmlessCalls &Harmless,
                    bool PointersKnown, const Function *&Callee) {
  Callee = nullptr;
  if (auto *Assembly = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return callsByAssembly(*Assembly) ? CallTarget::Unknown : CallTarget::Harmless;
  const Function *F = calledFunction(Call);
  if (F && F->isDeclarationForLinker() && !Harmless.isListedAsAllocating(*F))
    F = behindCallback(Call, *F);
  if (!F) {
    if (isa<GlobalAlias>(Call.getCalledOperand()->stripPointerCasts())) return CallTarget::Unknown;
    if (Harmless.callsOnlyFacets(Call)) return CallTarget::Harmless;
    return PointersKnown ? CallTarget::Pointer : CallTarget::Unknown;
  }
  if (F->isIntrinsic())
    return resumesCoroutine(F->getIntrinsicID()) ? CallTarget::Unknown : CallTarget::Harmless;
  if (FunctionRoles.allocator(*F)) return Callee = F, CallTarget::Table;
  if (reportsMemory(F->getName())) return CallTarget::Unknown;
  if (isOurs(F->getName())) return CallTarget::Harmless;
  Callee = F;
  // At -O0 there is no body of an available_externally function, so it must not count at -O2.
  bool HasBody = !F->isDeclaration() && !F->hasAvailableExternallyLinkage();
  if (HasBody && F->hasFnAttribute(Attribute::Naked)) return CallTarget::Unknown;
  if (HasBody && !F->isInterposable()) return CallTarget::Defined;
  if (isCudaEntry(F->getName())) return CallTarget::Table;
  return Harmless.isHarmless(*F) ? CallTarget::Harmless : CallTarget::Unknown;
}

} // namespace gpumemprof
