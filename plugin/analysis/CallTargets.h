//===- CallTargets.h - what kind of function a call leads to --------------===//
//
// Reachability.cpp asks for each call of the module. The answer depends on the call
// and on the lists of names only, not on what other functions reach.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_CALLTARGETS_H
#define GPUMEMPROF_PLUGIN_CALLTARGETS_H

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace gpumemprof {

class HarmlessCalls;
class Roles;

enum class CallTarget {
  Harmless, // moves no memory
  Table,    // an entry of cuda_api.def or an allocator of the program
  Unknown,  // code of another file, or a pointer from anywhere
  Pointer,  // a pointer to a function of this module
  Defined   // a function of this module, for which the call graph has the answer
};

/// The function that \p Call calls; null for a pointer, and for an alias that the linker may
/// replace by another definition.
const llvm::Function *calledFunction(const llvm::CallBase &Call);

/// \p PointersKnown: calls through pointers lead to functions of this module (ClosedUnit.h). \p
/// Callee: the function that the call enters or that qsort() and similar ones will call, or null.
CallTarget classify(const llvm::CallBase &Call, const Roles &FunctionRoles, HarmlessCalls &Harmless,
                    bool PointersKnown, const llvm::Function *&Callee);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_CALLTARGETS_H
