//===- NameLength.h - how long a mangled name is when it is spelled out ---===//
#ifndef GPUMEMPROF_PLUGIN_NAMELENGTH_H
#define GPUMEMPROF_PLUGIN_NAMELENGTH_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace gpumemprof {

/// No name that is shown has more characters. Longer ones say nothing to a reader, and each level
/// of a template over pairs of itself doubles them.
constexpr uint64_t LongestName = 4096;

/// Whether the demangled form of \p Mangled has more than LongestName characters, give or take its
/// punctuation. Takes time in proportion to the mangled name, however long the other is.
bool demanglesTooLong(llvm::StringRef Mangled);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_NAMELENGTH_H
