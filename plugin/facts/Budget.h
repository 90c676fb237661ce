//===- Budget.h - what a function may need --------------------------------===//
//
// GPUMEMPROF_BUDGET, NO_ALLOC and NO_LEAK: the front end (BudgetAttributes.cpp)
// makes annotations of them, one each, the pass reads those back and puts them
// into the function's site. The front end has checked the size; blocks, which are
// plain C and C++, are checked by passes/Checks.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_BUDGET_H
#define GPUMEMPROF_PLUGIN_BUDGET_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace gpumemprof {

struct Budget {
  uint16_t Flags = 0; // GPUMEMPROF_SITE_BUDGETS
  std::string Size;   // with GPUMEMPROF_SITE_BUDGET: as it is written

  std::string text() const;
  /// None: not an annotation of this kind.
  static std::optional<Budget> parse(llvm::StringRef Text);
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_BUDGET_H
