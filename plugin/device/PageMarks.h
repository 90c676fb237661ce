//===- PageMarks.h - device code marks the pages that it uses -------------===//
//
// With uses=pages, and only then, the plugin changes device code: before each load,
// store and atomic operation of memory that may be a block's there is a check whether
// the word of its page (pages.h) is up to date already, and rare code that updates it.
// The program's own instructions stay as they are.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_PAGEMARKS_H
#define GPUMEMPROF_PLUGIN_PAGEMARKS_H

#include "llvm/IR/PassManager.h"

namespace gpumemprof {

/// At OptimizerLast, in modules for NVIDIA devices; others stay as they are.
class MarkPagesPass : public llvm::PassInfoMixin<MarkPagesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_PAGEMARKS_H
