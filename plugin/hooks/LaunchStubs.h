//===- LaunchStubs.h - stubs of kernels -----------------------------------===//
//
// The stub that a compiler makes for a kernel puts the addresses of its parameters into an
// array, asks for the configuration that `<<<>>>` pushed, and launches the kernel. That of
// clang is the function that `<<<>>>` calls. With nvcc, `<<<>>>` calls a function that has the
// kernel's name and calls the stub, in templates by way of a second function.
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

class SourceFacts;

struct LaunchStub {
  llvm::Function *F;                          // that `<<<>>>` calls
  llvm::SmallVector<llvm::CallBase *, 2> Way; // the calls by which it comes to the stub
  llvm::Function *Stub;
  llvm::CallBase *Pop;
  /// The calls that launch: of CUDA's function, or of one that does nothing but call it.
  llvm::SmallVector<llvm::CallBase *, 2> Launches;
  bool OwnDefault; // its default stream is that of the thread (_ptsz)
  const KernelParameters *Kernel;
  llvm::DenseMap<unsigned, llvm::Value *> Parameters; // where they are in memory, by number
};

/// nullopt if \p F leads to no such stub, or its kernel has too many words.
std::optional<LaunchStub> launchStub(llvm::Function &F, SourceFacts &Facts);

/// The call of CUDA's function that launches, if it is the only one in \p F; else null.
llvm::CallBase *onlyLaunchIn(llvm::Function &F);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_LAUNCHSTUBS_H
