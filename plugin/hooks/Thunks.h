//===- Thunks.h - hooks around the CUDA calls of the module ---------------===//
//
// Every use of an entry point becomes a use of __gpumemprof_thunk.NAME, which calls
// the hooks around the real function. This holds for direct calls, stored addresses and
// static initialisers, with a static and with a shared CUDA runtime.
//
// A hook gets the arguments unchanged, followed by the result. Sizes are computed in C,
// by a handler with the real prototype, and never from the IR, where a structure that
// is passed by value has no fixed form.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_THUNKS_H
#define GPUMEMPROF_PLUGIN_THUNKS_H

namespace llvm {
class Module;
}

namespace gpumemprof {

class Filter;
class RuntimeABI;

/// Replaces the uses of CUDA's entry points and of swapcontext, and the results of dlsym. Returns
/// true if the module had any.
bool replaceCudaCalls(llvm::Module &M, RuntimeABI &ABI);

/// Puts a sample of free memory before and after the calls of LibraryCalls.h. Returns true if the
/// module had any.
bool sampleLibraryCalls(llvm::Module &M, RuntimeABI &ABI, const Filter &UserFilter);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_THUNKS_H
