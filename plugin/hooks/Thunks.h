//===- Thunks.h - hooks around the CUDA calls of the module ---------------===//
//
// Every use of an entry point becomes a use of __gpumemprof_thunk.NAME, which
// calls the hooks around the real function. Direct calls, stored addresses and
// static initialisers alike, for a static or a shared CUDA runtime.
//
// The arguments go through unchanged and the result is appended: sizes are
// computed in C, by a handler with the real prototype, never from the IR, where
// a structure by value has no fixed place.
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

/// And calls of swapcontext. Returns true when the module used at least one of them.
bool replaceCudaCalls(llvm::Module &M, RuntimeABI &ABI);

/// The same for the calls of LibraryCalls.h: a sample of free memory before and after.
bool sampleLibraryCalls(llvm::Module &M, RuntimeABI &ABI, const Filter &UserFilter);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_THUNKS_H
