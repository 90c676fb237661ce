//===- Checks.h - errors in what the source or the filter says ------------===//
//
// Pass.cpp calls these before it changes anything. Each looks at the whole module
// and reports what the front end could not see: it knows neither which functions
// are ignored, nor what a function reaches.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_CHECKS_H
#define GPUMEMPROF_PLUGIN_CHECKS_H

namespace llvm {
class Module;
}

namespace gpumemprof {

class Reachability;
class Roles;

/// Reports an error for each function whose budget cannot hold, and for each block whose size is
/// not a size.
void checkBudgets(llvm::Module &M, const Roles &FunctionRoles);

/// Reports an error for each function of \p M that the filter calls harmless and that is not.
void checkPromises(llvm::Module &M, Reachability &Reach);

/// Warns of each call from an ifunc resolver into another file: the callee may get a frame there,
/// and nothing in this file can prevent it.
void checkResolvers(llvm::Module &M, const Roles &FunctionRoles, Reachability &Reach);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_CHECKS_H
