//===- ClosedUnit.h - where can a function pointer lead? ------------------===//
//
// Reachability asks here about calls through pointers. In most modules a pointer may
// come from anywhere. In a closed module it cannot: nothing but main is visible to
// other objects, and the module calls only library functions that return no function
// pointers of others. Every function that a pointer leads to then has its address
// taken in this module.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_CLOSEDUNIT_H
#define GPUMEMPROF_PLUGIN_CLOSEDUNIT_H

#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gpumemprof {

class HarmlessCalls;

/// The functions that calls through pointers may reach; none is known (nullopt) when pointers may
/// come from outside.
std::optional<llvm::SmallVector<const llvm::Function *, 0>>
functionsBehindPointers(const llvm::Module &M, HarmlessCalls &Harmless);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_CLOSEDUNIT_H
