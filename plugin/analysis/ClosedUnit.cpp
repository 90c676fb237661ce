//===- ClosedUnit.cpp - no function pointer comes from outside ------------===//
//
// Every way by which a pointer may come in is checked: definitions that others can
// call or write (a constructor elsewhere may register a handler before main runs),
// variables of others, functions of others, and the few library functions that return
// a function pointer that this module did not give them (dlsym, the old handler of
// signal). A function that is pruned wrongly loses its lines, so any doubt means that
// the module is not closed.
//
//===----------------------------------------------------------------------===//
#include "analysis/ClosedUnit.h"

#include "analysis/HarmlessCalls.h"
#include "names/NameKinds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpumemprof {
namespace {

const struct {
  StringLiteral Name;
  int Argument; // through which the old handler is stored, or -1: it is returned
} OldHandlers[] = {
#define GPUMEMPROF_RETURNS_OLD_HANDLER(name, argument) {#name, argument},
#include "names/PointerNames.def"
};

/// Every use of \p F ignores the old handler, which others may have set.
bool ignoresOldHandlers(const Function &F) {
  for (const auto &Known : OldHandlers) {
    if (Known.Name != F.getName()) continue;
    return all_of(F.users(), [&](const User *U) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledOperand() != &F) return false;
      if (Known.Argument < 0) return Call->use_empty();
      return unsigned(Known.Argument) < Call->arg_size() &&
             isa<ConstantPointerNull>(Call->getArgOperand(unsigned(Known.Argument)));
    });
  }
  return true;
}

bool mayBringPointers(const Function &F, HarmlessCalls &Harmless) {
  if (F.isIntrinsic() || isOurs(F.getName()) || F.hasLocalLinkage()) return false;
  if (!F.isDeclarationForLinker()) return F.getName() != "main";
  return !F.use_empty() && !(Harmless.isOfLibrary(F) && ignoresOldHandlers(F));
}

bool mayBringPointers(const GlobalVariable &V) {
  if (V.hasLocalLinkage() || V.hasAppendingLinkage() || isOurs(V.getName())) return false;
  if (V.isConstant() && V.hasDefinitiveInitializer()) return false;
  return !V.isDeclaration() || !(V.use_empty() || HarmlessCalls::isLibraryVariable(V.getName()));
}

} // namespace

std::optional<SmallVector<const Function *, 0>> functionsBehindPointers(const Module &M,
                                                                        HarmlessCalls &Harmless) {
  bool Open =
      !M.getModuleInlineAsm().empty() || !M.ifunc_empty() ||
      any_of(M.aliases(), [](const GlobalAlias &A) { return !A.hasLocalLinkage(); }) ||
      any_of(M.globals(), [](const GlobalVariable &V) { return mayBringPointers(V); }) ||
      any_of(M.functions(), [&](const Function &F) { return mayBringPointers(F, Harmless); });
  if (Open) return std::nullopt;
  SmallVector<const Function *, 0> Found;
  for (const Function &F : M)
    if (F.hasAddressTaken(nullptr, /*IgnoreCallbackUses=*/false, /*IgnoreAssumeLikeCalls=*/true,
                          /*IngoreLLVMUsed=*/true))
      Found.push_back(&F);
  return Found;
}

} // namespace gpumemprof
