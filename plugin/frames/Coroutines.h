//===- Coroutines.h - frames for functions that are split later -----------===//
//
// A coroutine has no body of its own before CoroSplit, and a frame cannot stay open
// across a suspension. So at PipelineStart its calls only get marks. At OptimizerLast
// ramp, resume and destroy are ordinary functions; each part then gets a frame, and the
// marks become stores of sites. Until then noinline keeps the parts from being merged.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_COROUTINES_H
#define GPUMEMPROF_PLUGIN_COROUTINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class CallBase;
class Constant;
class Function;
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace gpumemprof {

class RuntimeABI;
struct Budget;

/// \p May: the budget of \p F or null; each part gets it.
void markCoroutine(llvm::Function &F, llvm::StringRef DisplayName, bool Profiled,
                   const Budget *May);
bool isMarkedCoroutine(const llvm::Function &F);
/// \p Operands: those of the call's size, 64 bits each.
void markCoroutineCall(llvm::CallBase &Call, llvm::Constant *Site,
                       llvm::ArrayRef<llvm::Value *> Operands);
/// Marks where a call has returned that is an activation of its line (LineCalls.h).
void markCallEnded(llvm::Instruction &Before);

/// Gives the parts of marked coroutines their frames. Returns true if there were any.
bool instrumentSplitCoroutines(llvm::Module &M, RuntimeABI &ABI);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_COROUTINES_H
