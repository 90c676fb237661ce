//===- AllocationText.h - allocation calls as the source has them ---------===//
//
// The AST knows what the IR does not: which variable receives the pointer, its
// element type, how the size was written. Collected by the place CodeGen will
// use as the call's debug location; the pass looks them up by it.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_ALLOCATIONTEXT_H
#define GPUMEMPROF_PLUGIN_ALLOCATIONTEXT_H

#include <vector>

namespace clang {
class ASTContext;
class Decl;
} // namespace clang

namespace gpumemprof {

class SourceFiles;

/// Walks the user's declarations into Files.Allocations and Files.UserFunctions.
void collectAllocations(clang::ASTContext &Context, const std::vector<clang::Decl *> &Declarations,
                        SourceFiles &Files);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ALLOCATIONTEXT_H
