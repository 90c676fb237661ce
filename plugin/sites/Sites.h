//===- Sites.h - the content of the site of a function or call ------------===//
//
// Joins the debug location of a call with what the front end knows about the call at
// that location. Called by the passes for each function and call that gets a site.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SITES_H
#define GPUMEMPROF_PLUGIN_SITES_H

#include "sites/SiteTable.h"

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace gpumemprof {

class SourceFacts;
struct Budget;
struct SizeOperands;

/// \p May: its budget, or null.
Site scopeSite(const llvm::Function &F, llvm::StringRef DisplayName, uint16_t Flags,
               const Budget *May);

/// \p OfAllocator: the callee is an allocator of the program.
Site callSite(const llvm::CallBase &Call, llvm::StringRef FunctionName, SourceFacts &Facts,
              bool WithText, bool OfAllocator);

/// A call that uses memory, or launches a kernel.
Site useSite(const llvm::CallBase &Call, llvm::StringRef FunctionName, SourceFacts &Facts,
             bool WithText);

/// What the front end knows about the operands of the call's size, or null.
const SizeOperands *sizeOperandsOf(const llvm::CallBase &Call, SourceFacts &Facts);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SITES_H
