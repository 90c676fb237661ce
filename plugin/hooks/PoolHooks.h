//===- PoolHooks.h - hooks in the program's own allocators ----------------===//
//
// Called by Pass.cpp after all frames were inserted.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_POOLHOOKS_H
#define GPUMEMPROF_PLUGIN_POOLHOOKS_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gpumemprof {

class Roles;
class RuntimeABI;

/// Inserts hooks for each function marked gpumemprof_alloc or gpumemprof_dealloc: into its
/// definition or, if the module has none, around its calls. The hooks run before the function's
/// frame begins and after it ends, so that memory is attributed to the caller's line. True if there
/// was any.
bool insertPoolHooks(llvm::Module &M, const Roles &FunctionRoles, RuntimeABI &ABI);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_POOLHOOKS_H
