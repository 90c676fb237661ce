//===- Reachability.h - which calls may allocate or free ------------------===//
//
// The call graph is followed backwards from the calls that move memory (allocate or
// free) or that leave the module for unknown code. A function that is not reached in
// this way cannot see memory move and needs no frame; a call that is not reached needs
// no site. Pruning loses nothing: a pruned function has no unknown call.
//
// A call of code without sites, such as a template of CUDA's headers, needs one too if
// that code uses memory: its operations have the line of the latest call with a site.
//
// The same graph shows which calls are part of a recursion.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_REACHABILITY_H
#define GPUMEMPROF_PLUGIN_REACHABILITY_H

#include "analysis/CallTargets.h"
#include "analysis/HarmlessCalls.h"
#include "base/Options.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {
class CallBase;
} // namespace llvm

namespace gpumemprof {

class Filter;
class Roles;

class Reachability {
public:
  Reachability(llvm::Module &M, const Roles &FunctionRoles, SourceFacts &Facts,
               const Filter &UserFilter, Mode WhichFunctions);

  /// Memory may move while \p F runs, or it calls code without sites that uses memory (mode=every:
  /// unless it calls nothing).
  bool mayAllocate(const llvm::Function &F);

  /// Memory may move while \p Call runs, or it calls code without sites that uses memory.
  bool mayAllocate(const llvm::CallBase &Call);

  /// Memory may move while \p F runs (mode=every: unless it calls nothing).
  bool mayMove(const llvm::Function &F);

  /// Memory may move while \p Call runs; the same in mode=every.
  bool mayMove(const llvm::CallBase &Call);

  /// Memory may be allocated, and not only freed, while \p Call runs. Code elsewhere that a
  /// destructor calls is assumed only to free.
  bool mayTake(const llvm::CallBase &Call);

  /// The function defined here that \p Call enters, or null.
  const llvm::Function *entered(const llvm::CallBase &Call);

  /// \p Call calls an entry of cuda_api.def or an allocator of the program.
  bool isTable(const llvm::CallBase &Call);

  /// \p Call calls a library function, as qsort(), that calls a function of the program any number
  /// of times.
  static bool callsBack(const llvm::CallBase &Call);

  /// The user's filter says that \p F, defined here, is harmless, and it is not.
  bool isWronglyPromised(const llvm::Function &F);

  /// \p Call needs a site in a function that has a frame.
  bool needsSite(const llvm::CallBase &Call);

  /// Why \p Call may move memory, in words that follow the name of its function.
  std::string reason(const llvm::CallBase &Call);

  /// \p F itself, or a transparent function it calls, calls the CUDA API. Of what uses memory, only
  /// what a transparent function calls counts.
  bool callsCudaItself(const llvm::Function &F) const;

  HarmlessCalls &harmlessCalls() { return Harmless; }

  /// \p F is defined here and does not return, so its callers assume that it moves no memory, but
  /// it may.
  bool isWronglyTrusted(const llvm::Function &F) const;

  /// \p F moves no memory but may call an error handler that has a frame and that throws or jumps.
  /// (An error handler is no reason for a frame in its callers.) Where \p F catches, that frame is
  /// still open.
  bool mayLeaveFrames(const llvm::Function &F) const;

  /// Caller and callee are in one cycle of the module's call graph.
  bool isRecursive(const llvm::Function &Caller, const llvm::Function &Callee) const;

private:
  struct Node {
    llvm::SmallVector<const llvm::Function *, 4> Callees;
    llvm::SmallVector<const llvm::Function *, 2> NoReturnCallees;
    bool CallsTable = false;     // calls an entry of cuda_api.def or an allocator of the user's
    bool CallsUnknown = false;   // calls out of the module, or through a pointer from anywhere
    bool CallsPointer = false;   // calls through a pointer to a function of this module
    bool Counted = false;        // profiled, or has a block: all its calls are counted, with a path
    bool Definite = false;       // reaches the table by direct calls
    bool May = false;            // may reach the table, or a scope whose every call is counted
    bool Takes = false;          // reaches a call of this file that allocates
    bool TakesElsewhere = false; // reaches other code that may allocate; not from a destructor
    bool Leaves = false;         // reaches an error handler that may have a frame and not return
    bool Itself = false;         // calls the table itself or through transparent functions
    bool Uses = false;           // reaches an operation whose line is that of the latest site
    unsigned Cycle = 0;          // number of its strongly connected component
  };

  CallTarget classify(const llvm::CallBase &Call, const llvm::Function *&Callee) {
    return gpumemprof::classify(Call, FunctionRoles, Harmless, BehindPointers.has_value(), Callee);
  }
  void build(llvm::Module &M);
  void compute(llvm::Module &M);
  void propagate(bool Node::*Flag, llvm::function_ref<bool(const llvm::Function &)> Through,
                 bool WithNoReturn);
  bool isErrorHandler(const llvm::Function &F) const;
  bool moves(CallTarget Target, const llvm::Function *Callee) const;
  bool uses(CallTarget Target, const llvm::Function *Callee) const;
  void followPointers();
  void findCycles();

  const Roles &FunctionRoles;
  const Filter &UserFilter;
  HarmlessCalls Harmless;
  Mode WhichFunctions;
  std::optional<llvm::SmallVector<const llvm::Function *, 0>> BehindPointers;
  bool PointersMayAllocate = false; // has a meaning only where BehindPointers is known
  bool PointersMayUse = false;      // so has this
  llvm::DenseMap<const llvm::Function *, Node> Nodes;
  llvm::SmallVector<const llvm::Function *, 0> Order; // Nodes in module order
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_REACHABILITY_H
