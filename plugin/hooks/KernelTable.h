//===- KernelTable.h - records of the kernels of an object -----------------===//
//
// For each kernel, a constant struct gpumemprof_kernel, by which the runtime finds the
// addresses among the parameters of a launch.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_KERNELTABLE_H
#define GPUMEMPROF_PLUGIN_KERNELTABLE_H

namespace llvm {
class Module;
}

namespace gpumemprof {

class SiteTable;
class SourceFacts;

/// Returns true if the module has a kernel.
bool emitKernels(llvm::Module &M, SiteTable &Table, SourceFacts &Facts);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_KERNELTABLE_H
