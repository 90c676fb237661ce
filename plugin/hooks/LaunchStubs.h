//===- LaunchStubs.h - stubs of kernels, and their copies -----------------===//
//
// The stub that clang makes for a kernel puts the addresses of its parameters into an
// array, asks for the configuration that `<<<>>>` pushed, and calls cudaLaunchKernel.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_LAUNCHSTUBS_H
#define GPUMEMPROF_PLUGIN_LAUNCHSTUBS_H

#include "facts/KernelParameters.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

#include <optional>

namespace gpumemprof {

class RuntimeABI;
class SourceFacts;

struct LaunchStub {
  llvm::Function *F;
  llvm::CallBase *Pop, *Launch;
  const KernelParameters *Kernel;
  llvm::DenseMap<unsigned, llvm::Value *> Parameters; // where they are in memory, by number
};

/// nullopt if \p F is no such stub, or its kernel has too many words.
std::optional<LaunchStub> launchStub(llvm::Function &F, SourceFacts &Facts);

/// A copy of the stub with one more parameter, the record of a launch. While uses are recorded it
/// reports the launch. It calls \p Real instead of cudaLaunchKernel.
llvm::Function *copyOf(const LaunchStub &Stub, RuntimeABI &ABI, llvm::Function &Real);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_LAUNCHSTUBS_H
