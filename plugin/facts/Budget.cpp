//===- Budget.cpp - annotations of budgets, and those of blocks -----------===//
#include "facts/Budget.h"

#include "analysis/Roles.h"
#include "names/Names.h"

#include "gpumemprof/hooks.h"
#include "gpumemprof/sizes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpumemprof {

static constexpr StringLiteral BudgetPrefix = "gpumemprof.budget:";

std::string Budget::text() const {
  return BudgetPrefix.str() + utostr(Flags) + ":" + Size;
}

std::optional<Budget> Budget::parse(StringRef Text) {
  if (!Text.consume_front(BudgetPrefix)) return std::nullopt;
  auto [Number, Size] = Text.split(':');
  Budget B;
  if (Number.getAsInteger(10, B.Flags)) return std::nullopt;
  B.Size = Size.str();
  return B;
}

namespace {

std::string placeOf(const Function &F) {
  const DISubprogram *SP = F.getSubprogram();
  return SP ? (" (" + SP->getFilename() + ":" + Twine(SP->getLine()) + ")").str() : "";
}

StringRef textOf(const Constant *C) {
  auto *Text = dyn_cast<GlobalVariable>(C->stripPointerCasts());
  auto *Data = Text && Text->hasInitializer()
                   ? dyn_cast<ConstantDataSequential>(Text->getInitializer())
                   : nullptr;
  return Data && Data->isCString() ? Data->getAsCString() : "";
}

/// The variable of GPUMEMPROF_SCOPE_BUDGET: a struct gpumemprof_block_site.
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
  std::string Text = textOf(Site->getOperand(Size)).str();
  if (gpumemprof_size(Text.c_str(), &Bytes)) return;
  M.getContext().emitError("GPUMEMPROF_SCOPE_BUDGET wants " GPUMEMPROF_SIZE_USAGE ", not '" +
                           Twine(Text) + "' (" + textOf(Site->getOperand(File)) + ":" +
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
                               placeOf(F));
    if (B->Flags & GPUMEMPROF_SITE_BUDGET && B->Size.empty())
      M.getContext().emitError("'" + displayName(F) +
                               "' has two budgets of different sizes; take one of them away" +
                               placeOf(F));
  }
  for (const GlobalVariable &G : M.globals()) checkBlock(M, G);
}

} // namespace gpumemprof
