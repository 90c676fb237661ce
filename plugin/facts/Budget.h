//===- Budget.h - the memory that a function may need ---------------------===//
//
// The front end (BudgetAttributes.cpp) makes an annotation of each GPUMEMPROF_BUDGET,
// NO_ALLOC and NO_LEAK; the pass reads these and puts them into the function's site.
// The front end has checked the size. The sizes of blocks, which are plain C and C++,
// are checked by passes/Checks.cpp.
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
  std::string Size;   // with GPUMEMPROF_SITE_BUDGET: as the source has it

  std::string text() const;
  /// Nullopt if the text is no annotation of this kind.
  static std::optional<Budget> parse(llvm::StringRef Text);
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_BUDGET_H
