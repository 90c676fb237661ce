//===- LibraryCallbacks.h - functions that the C++ library calls back -----===//
//
// A stream calls virtual functions of the program's own stream buffers and facets,
// the end of an exception calls the destructor of what was thrown. No call of the
// program leads there, so Reachability and Assumptions.cpp ask here.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_LIBRARYCALLBACKS_H
#define GPUMEMPROF_PLUGIN_LIBRARYCALLBACKS_H

#include "analysis/HarmlessCalls.h"

#include "llvm/ADT/SmallVector.h"

namespace gpumemprof {

/// The functions that the C++ library calls in this way, those of other files included: overridden
/// virtual functions of stream buffers and facets, destructors of thrown objects.
llvm::SmallVector<const llvm::Function *, 8> functionsCalledBy(const llvm::Module &M,
                                                               HarmlessCalls::Indirectly Way);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_LIBRARYCALLBACKS_H
