//===- OriginalText.h - calls in source text that is not parsed -----------===//
//
// nvcc gives its host compiler code that it printed itself, as
// "((n * m) * (sizeof(float)))". The line in the original file is known, so the call is
// searched for in the text of that file.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_ORIGINALTEXT_H
#define GPUMEMPROF_PLUGIN_ORIGINALTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace gpumemprof {

struct OriginalCall {
  std::vector<std::string> Arguments; // empty: not found
};

/// The call of \p Callee in the statement at the start of \p Text whose first argument names
/// \p Variable.
OriginalCall findOriginalCall(llvm::StringRef Text, llvm::StringRef Callee,
                              llvm::StringRef Variable);

/// The size as one expression, made of the arguments of an allocation that say how much
/// (names/CudaSizes.h).
std::string joinSizes(llvm::ArrayRef<std::string> Arguments, llvm::StringRef Callee);

/// "(n + 1) * sizeof(float)".
std::string product(llvm::ArrayRef<std::string> Factors);

/// White space and line breaks become single blanks.
std::string onOneLine(llvm::StringRef Text);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ORIGINALTEXT_H
