//===- Assumptions.h - what a file takes for granted, for the runtime -----===//
//
// A call that is taken for harmless stores no site, so memory that moves behind it
// would go to an earlier line. Two tables of each object let the runtime notice:
//
//   assumed   hashes of the external names that were taken for harmless
//   movers    functions of this object with a frame, in which memory may move, with
//             the hash of their name; and those of which somebody assumes anyway
//             that they move nothing: overridden members of stream buffers,
//             destructors of exceptions, error handlers that do not return
//
// Where memory moves in a mover whose name some object of the process assumed to be
// harmless, the runtime counts a loss and says so (runtime/assumptions.c).
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

/// \p Scopes: the site of each function that got a frame.
void emitAssumptions(llvm::Module &M, Reachability &Reach, SiteTable &Table,
                     const llvm::DenseMap<const llvm::Function *, llvm::Constant *> &Scopes,
                     Mode WhichFunctions);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ASSUMPTIONS_H
