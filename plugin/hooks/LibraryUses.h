//===- LibraryUses.h - hooks before calls of closed libraries -------------===//
//
// What a library does with memory is not seen. While uses are observed, the pointers
// of each call that uses memory are recorded before it (library_calls.h). Pointers to
// variables of the host are left out where the IR shows that they are.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_LIBRARYUSES_H
#define GPUMEMPROF_PLUGIN_LIBRARYUSES_H

namespace llvm {
class Module;
}

namespace gpumemprof {

class Filter;
struct UseSites;

/// Returns true if the module calls one of the functions.
bool reportLibraryUses(llvm::Module &M, const UseSites &Sites, const Filter &UserFilter);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_LIBRARYUSES_H
