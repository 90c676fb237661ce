//===- AllocationText.h - allocation calls as the source has them ---------===//
//
// The AST knows what the IR does not: the variable that receives the pointer, its
// element type, and how the source has the size. The same is collected for other calls that
// have a receiver, because they may be calls of allocation wrappers. Plugin.cpp calls this once,
// at the end of a translation unit.
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

/// Walks the user's declarations into Files.Allocations, Files.Calls and Files.UserFunctions.
void collectAllocations(clang::ASTContext &Context, const std::vector<clang::Decl *> &Declarations,
                        SourceFiles &Files);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ALLOCATIONTEXT_H
