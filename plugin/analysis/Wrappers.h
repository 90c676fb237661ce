//===- Wrappers.h - calls that allocate for the caller of their function --===//
//
// Most programs allocate in functions such as `zeros(n)` or `Vector::resize(n)`, and who
// reads a report wants the line that asked for the memory. A function is a wrapper if the
// size of what it allocates comes from its parameters, and all of it leaves in one way:
// as its result, through one pointer that it was given, or as one member of the object
// that it constructs. A function that fills several members, or that may hand out an older
// block, is none. Pass.cpp asks for each call that gets a site,
// before anything is changed. The tool follows such calls from callee to caller, also across files
// (GPUMEMPROF_SITE_FOR_CALLER).
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_WRAPPERS_H
#define GPUMEMPROF_PLUGIN_WRAPPERS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <memory>

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace gpumemprof {

struct WaysContext;

class Wrappers {
public:
  Wrappers();
  ~Wrappers();

  /// Decides for all calls of \p F. \p MayAllocate returns whether a call may.
  void find(const llvm::Function &F, llvm::function_ref<bool(const llvm::CallBase &)> MayAllocate);

  /// The flags of the site of \p Call: GPUMEMPROF_SITE_FOR_CALLER if what it allocates is for the
  /// caller of its function. Known after find().
  uint16_t flagsOf(const llvm::CallBase &Call) const { return Flags.lookup(&Call); }

private:
  std::unique_ptr<WaysContext> Shared;
  llvm::DenseMap<const llvm::CallBase *, uint16_t> Flags;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_WRAPPERS_H
