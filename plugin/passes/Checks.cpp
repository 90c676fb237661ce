//===- Checks.cpp - budgets, the filter file, ifunc resolvers -------------===//
#include "passes/Checks.h"

#include "analysis/Reachability.h"
#include "analysis/Roles.h"
#include "base/IRQueries.h"
#include "names/Names.h"

#include "gpumemprof/hooks.h"
#include "gpumemprof/sizes.h"

#include "llvm/ADT/Twine.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpumemprof {
namespace {

std::string locationText(const Function &F) {
  const DISubprogram *SP = F.getSubprogram();
  return SP ? (" (" + SP->getFilename() + ":" + Twine(SP->getLine()) + ")").str() : "";
}

std::string locationText(const Instruction &I) {
  const DILocation *Loc = I.getDebugLoc();
  return Loc ? (" (" + Loc->getFilename() + ":" + Twine(Loc->getLine()) + ")").str() : "";
}

/// Checks the size if \p G is the variable of a GPUMEMPROF_SCOPE_BUDGET: a struct
/// gpumemprof_block_site.
void checkBlock(Module &M, const GlobalVariable &G) {
  enum { Kind, Flags, Line, Name, File, Function, Size, Fields };
  if (!G.getName().contains("gpumemprof_site_") || !G.hasInitializer()) return;
  auto *Site = dyn_cast<ConstantStruct>(G.getInitializer());
  if (!Site || Site->getNumOperands() != Fields) return;
  auto Number = [&](unsigned Field) {
    auto *Value = dyn_cast<ConstantInt>(Site->getOperand(Field));
    return Value ? Value->getZExtValue() : 0;
  };
  if (Number(Kind) != GPUMEMPROF_SITE_BLOCK || !(Number(Flags) & GPUMEMPROF_SITE_BUDGET)) return;
  uint64_t Bytes;
  std::string Text = cStringAt(Site->getOperand(Size)).str();
  if (gpumemprof_size(Text.c_str(), &Bytes)) return;
  M.getContext().emitError("GPUMEMPROF_SCOPE_BUDGET wants " GPUMEMPROF_SIZE_USAGE ", not '" +
                           Twine(Text) + "' (" + cStringAt(Site->getOperand(File)) + ":" +
                           Twine(Number(Line)) + ")");
}

} // namespace

void checkBudgets(Module &M, const Roles &FunctionRoles) {
  for (const Function &F : M) {
    const Budget *B = FunctionRoles.budget(F);
    if (!B || F.isDeclaration()) continue;
    if (FunctionRoles.isIgnored(F))
      M.getContext().emitError("'" + displayName(F) +
                               "' has a budget and is marked gpumemprof_ignore, so that it is no "
                               "scope; take one of them away" +
                               locationText(F));
    if (B->Flags & GPUMEMPROF_SITE_BUDGET && B->Size.empty())
      M.getContext().emitError("'" + displayName(F) +
                               "' has two budgets of different sizes; take one of them away" +
                               locationText(F));
  }
  for (const GlobalVariable &G : M.globals()) checkBlock(M, G);
}

void checkPromises(Module &M, Reachability &Reach) {
  for (const Function &F : M) {
    if (!Reach.isWronglyPromised(F)) continue;
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !Reach.mayMove(*Call)) continue;
      M.getContext().emitError("the gpumemprof filter file says that '" + displayName(F) +
                               "' is harmless, but it " + Reach.reason(*Call) +
                               locationText(*Call));
      break;
    }
  }
}

void checkResolvers(Module &M, const Roles &FunctionRoles, Reachability &Reach) {
  for (const Function &F : M) {
    if (F.isDeclaration() || !FunctionRoles.runsBeforeRelocation(F)) continue;
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      auto *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || Callee->isIntrinsic() || !Callee->isDeclaration()) continue;
      if (!Reach.mayAllocate(*Call)) continue;
      std::string Text = "'" + displayName(F) + "' runs before the program is relocated, as part " +
                         "of an ifunc resolver, and calls '" + displayName(*Callee) +
                         "' in another file; mark that function GPUMEMPROF_IGNORE, so that it " +
                         "gets no frame";
      M.getContext().diagnose(DiagnosticInfoInlineAsm(*Call, Text, DS_Warning));
    }
  }
}

} // namespace gpumemprof
