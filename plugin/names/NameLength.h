//===- NameLength.h - how long a name is when it is demangled -------------===//
//
// Asked by Names.cpp before it demangles, and by AllocationText.cpp for types.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_NAMELENGTH_H
#define GPUMEMPROF_PLUGIN_NAMELENGTH_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace gpumemprof {

/// No name that is shown has more characters. A longer one would not help a reader, and each level
/// of a template over pairs of itself doubles the length.
constexpr uint64_t LongestName = 4096;

/// The demangled form of \p Mangled has more than about LongestName characters; punctuation is not
/// counted. This takes time in proportion to the mangled name, not to the demangled one.
bool demanglesTooLong(llvm::StringRef Mangled);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_NAMELENGTH_H
