//===- Budget.cpp - a budget as the text of an annotation -----------------===//
#include "facts/Budget.h"

#include "llvm/ADT/StringExtras.h"

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

} // namespace gpumemprof
