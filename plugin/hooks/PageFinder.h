//===- PageFinder.h - tells the runtime that device code marks pages ------===//
//
// With uses=pages, an object that launches kernels gives the runtime the function that
// finds a kernel's module, cudaGetFuncBySymbol. So it is found also where the CUDA
// runtime is linked statically.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_PAGEFINDER_H
#define GPUMEMPROF_PLUGIN_PAGEFINDER_H

namespace llvm {
class Module;
}

namespace gpumemprof {

class RuntimeABI;

/// True when the module launches kernels.
bool reportPageFinder(llvm::Module &M, RuntimeABI &ABI);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_PAGEFINDER_H
