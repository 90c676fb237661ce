//===- ScopeFiles.h - the file of a scope that our headers open -----------===//
//
// GPUMEMPROF_SCOPE and measured scopes name their file by __FILE__, which is the name
// that the compiler was given; sites have the whole path. Without this change, a file
// that is compiled by a relative name would be two files in each report.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SCOPEFILES_H
#define GPUMEMPROF_PLUGIN_SCOPEFILES_H

namespace llvm {
class Module;
}

namespace gpumemprof {

class SourceFacts;

/// Replaces the file in the records of blocks and in the calls that begin a measured scope, both of
/// our headers, by the path that sites have. A name that is no file of this compilation stays as it
/// is. Returns true if anything changed.
bool nameFilesOfScopes(llvm::Module &M, SourceFacts &Facts);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SCOPEFILES_H
