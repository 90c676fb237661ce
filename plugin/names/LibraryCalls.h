//===- LibraryCalls.h - calls of CUDA's closed libraries ------------------===//
//
// Before a call that uses memory, its pointers are recorded (LibraryUses.def says what
// is known of each function).
//
// With -fplugin-arg-gpumemprof-unaccounted=calls, free memory is sampled around calls
// of CUDA's closed libraries, calls that make contexts or load modules, and calls of
// functions that the filter file names with library:NAME. HarmlessCalls asks, so that
// each such call has a site and its caller a frame; Thunks.cpp puts hooks around it.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_LIBRARYCALLS_H
#define GPUMEMPROF_PLUGIN_LIBRARYCALLS_H

#include "gpumemprof/library_calls.h"

#include "llvm/ADT/StringRef.h"

namespace gpumemprof {

class Filter;

bool isSampledCall(llvm::StringRef Name, const Filter &UserFilter);

/// What the function does with memory of devices; NOTHING also for one of no library.
gpumemprof_library_use libraryUseOf(llvm::StringRef Name, const Filter &UserFilter);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_LIBRARYCALLS_H
