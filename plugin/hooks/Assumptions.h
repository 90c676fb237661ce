//===- Assumptions.h - what a file assumes, for the runtime to check ------===//
//
// A call that is assumed to be harmless stores no site, so memory that moves during it
// would be attributed to an earlier line. With two tables of each object the runtime
// notices this:
//
//   assumed   hashes of the external names that were assumed to be harmless
//   movers    functions of this object that have a frame and may move memory, with the
//             hash of their name; among them those that are always assumed to move no
//             memory: overridden members of stream buffers, destructors of exceptions,
//             error handlers that do not return
//
// Where memory moves in a mover whose name some object of the process assumed to be
// harmless, the runtime counts a loss and reports it (runtime/records/assumptions.c).
//
// Called by Pass.cpp at its end.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_ASSUMPTIONS_H
#define GPUMEMPROF_PLUGIN_ASSUMPTIONS_H

#include "base/Options.h"

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class Constant;
class Function;
class Module;
} // namespace llvm

namespace gpumemprof {

class Reachability;
class SiteTable;

/// \p Scopes: the site of each function that has a frame.
void emitAssumptions(llvm::Module &M, Reachability &Reach, SiteTable &Table,
                     const llvm::DenseMap<const llvm::Function *, llvm::Constant *> &Scopes,
                     Mode WhichFunctions);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ASSUMPTIONS_H
