//===- HarmlessCalls.h - external functions that can not allocate ---------===//
//
// Asked by Reachability for every function that is only declared. What keeps
// functions instrumented in real programs are unknown calls, not CUDA calls, so
// knowing these is worth more than any other saving.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_HARMLESSCALLS_H
#define GPUMEMPROF_PLUGIN_HARMLESSCALLS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gpumemprof {

class Filter;
class SourceFacts;

class HarmlessCalls {
public:
  HarmlessCalls(const llvm::Module &M, SourceFacts &Facts, const Filter &UserFilter);

  /// The external \p F neither allocates nor calls back on this thread.
  bool isHarmless(const llvm::Function &F);

  /// A function of the C library, the compiler's runtime or CUDA, known by its name: it neither
  /// knows pointers of others nor hands them out.
  bool isOfLibrary(const llvm::Function &F);

  /// A variable of the C library that holds no function pointer.
  static bool isLibraryVariable(llvm::StringRef Name);

  /// The argument through which \p F, otherwise harmless, calls the program back, or -1.
  static int callbackArgument(const llvm::Function &F);

  /// The user's filter says so of \p F.
  bool isPromised(const llvm::Function &F) const;

  /// Virtual calls out of this function go to libstdc++'s locale facets.
  bool callsOnlyFacets(const llvm::Function &F);

private:
  bool decide(const llvm::Function &F);
  bool isListed(llvm::StringRef Name);

  llvm::TargetLibraryInfoImpl LibraryImpl;
  llvm::TargetLibraryInfo Library;
  SourceFacts &Facts;
  const Filter &UserFilter;
  llvm::DenseMap<const llvm::Function *, bool> Known, Facets;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_HARMLESSCALLS_H
