//===- KernelFacts.h - device code says what its kernels do ---------------===//
//
// The name of a kernel that does nothing says it (kernel_facts.h). The program's
// own code stays as it is.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_KERNELFACTS_H
#define GPUMEMPROF_PLUGIN_KERNELFACTS_H

#include "llvm/IR/PassManager.h"

namespace gpumemprof {

/// At OptimizerLast, in modules for NVIDIA devices; others stay as they are.
class KernelFactsPass : public llvm::PassInfoMixin<KernelFactsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_KERNELFACTS_H
