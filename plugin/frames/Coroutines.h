//===- Coroutines.h - frames for functions that are split later -----------===//
//
// A coroutine has no body of its own before CoroSplit, and frames can not live
// across a suspension. So at PipelineStart its calls only get marks, and at
// OptimizerLast, when ramp, resume and destroy are ordinary functions, each part
// gets a frame and the marks become call-site stores. noinline keeps the parts
// apart until then.
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

/// \p May: its budget, or null; each part has it.
void markCoroutine(llvm::Function &F, llvm::StringRef DisplayName, bool Profiled,
                   const Budget *May);
bool isMarkedCoroutine(const llvm::Function &F);
/// \p Operands: what its size is computed from, 64 bits each.
void markCoroutineCall(llvm::CallBase &Call, llvm::Constant *Site,
                       llvm::ArrayRef<llvm::Value *> Operands);
/// Where a call that is an activation of its line has returned.
void markCallEnded(llvm::Instruction &Before);

/// Gives the parts of marked coroutines their frames. Returns true if there were any.
bool instrumentSplitCoroutines(llvm::Module &M, RuntimeABI &ABI);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_COROUTINES_H
