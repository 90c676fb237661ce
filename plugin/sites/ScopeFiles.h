//===- ScopeFiles.h - the file of a scope that a header made ---------------===//
//
// GPUMEMPROF_SCOPE and measured scopes name their file by __FILE__, which is as
// short as the compiler was told; sites have the whole path. Without this, a file
// that is compiled by its relative name would be two files in each report.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SCOPEFILES_H
#define GPUMEMPROF_PLUGIN_SCOPEFILES_H

namespace llvm {
class Module;
}

namespace gpumemprof {

class SourceFacts;

/// Gives the records of blocks and the calls that begin a measured scope, which our headers made,
/// the path that sites have. A name that is no file of this compilation stays as it is. Returns
/// whether anything changed.
bool nameFilesOfScopes(llvm::Module &M, SourceFacts &Facts);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SCOPEFILES_H
