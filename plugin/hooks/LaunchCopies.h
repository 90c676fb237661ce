//===- LaunchCopies.h - copies of stubs that report their launches --------===//
//
// A copy of a stub, and of the functions between `<<<>>>` and the stub, has one more parameter,
// the record of the launch. While uses are recorded it reports the launch.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_LAUNCHCOPIES_H
#define GPUMEMPROF_PLUGIN_LAUNCHCOPIES_H

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gpumemprof {

class RuntimeABI;
struct LaunchStub;

class LaunchCopies {
public:
  LaunchCopies(llvm::Module &M, RuntimeABI &ABI) : M(M), ABI(ABI) {}

  /// The copy of the function that `<<<>>>` calls.
  llvm::Function &of(const LaunchStub &Stub);

  /// A function among the thunks that calls \p Real, because code that calls CUDA elsewhere counts
  /// as not rebuilt (unseen_parts.c). It takes the place of the jump that a linker makes.
  llvm::Function &jumpTo(llvm::Function &Real);

private:
  llvm::Function *copyStub(const LaunchStub &Stub);
  llvm::Function &launcher(llvm::Function &F);

  llvm::Module &M;
  RuntimeABI &ABI;
  llvm::DenseMap<llvm::Function *, llvm::Function *> Made;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_LAUNCHCOPIES_H
