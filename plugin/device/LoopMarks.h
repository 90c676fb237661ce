//===- LoopMarks.h - the pages that loops access in steps -----------------===//
#ifndef GPUMEMPROF_PLUGIN_LOOPMARKS_H
#define GPUMEMPROF_PLUGIN_LOOPMARKS_H

#include "device/Accesses.h"
#include "device/PageCode.h"

#include "llvm/IR/PassManager.h"

namespace gpumemprof {

/// Marks them before the loops, and removes them from \p Seen.
void markLoops(llvm::Function &F, llvm::SmallVectorImpl<Access> &Seen, const PageCode &Code,
               llvm::FunctionAnalysisManager &Analyses);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_LOOPMARKS_H
