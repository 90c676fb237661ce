//===- ClosedUnit.h - where can a function pointer lead? ------------------===//
//
// Asked by Reachability for calls through pointers. In most modules a pointer may
// come from anywhere. In a closed one it can not: nothing but main is visible to
// other objects, and all it calls are library functions that hand out no code of
// others. What a pointer leads to then had its address taken here.
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

/// The functions that calls through pointers may reach; nothing when pointers may come from
/// outside.
std::optional<llvm::SmallVector<const llvm::Function *, 0>>
functionsBehindPointers(const llvm::Module &M, HarmlessCalls &Harmless);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_CLOSEDUNIT_H
