//===- PoolHooks.h - tells the runtime what the program's allocators do ---===//
#ifndef GPUMEMPROF_PLUGIN_POOLHOOKS_H
#define GPUMEMPROF_PLUGIN_POOLHOOKS_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gpumemprof {

class Roles;
class RuntimeABI;

/// For each function marked gpumemprof_alloc or gpumemprof_dealloc: hooks in its definition or, if
/// the module has none, around its calls. After the frames were inserted: hooks come before and
/// behind them, so that the caller's line stands. True if there was any.
bool insertPoolHooks(llvm::Module &M, const Roles &FunctionRoles, RuntimeABI &ABI);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_POOLHOOKS_H
