//===- LibraryCalls.h - calls around which free memory is sampled ---------===//
//
// With -fplugin-arg-gpumemprof-unaccounted=calls, free memory is sampled around calls
// of CUDA's closed libraries, calls that make contexts or load modules, and calls of
// functions that the filter file names with library:NAME. HarmlessCalls asks, so that
// each such call has a site and its caller a frame; Thunks.cpp puts hooks around it.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_LIBRARYCALLS_H
#define GPUMEMPROF_PLUGIN_LIBRARYCALLS_H

#include "llvm/ADT/StringRef.h"

namespace gpumemprof {

class Filter;

bool isSampledCall(llvm::StringRef Name, const Filter &UserFilter);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_LIBRARYCALLS_H
