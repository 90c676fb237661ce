//===- KernelWords.h - the words of a kernel's parameters, from the AST ---===//
//
// AllocationText.cpp calls this for each function that it visits, and Plugin.cpp for the kernels of
// system headers that the program instantiates, as those of Thrust.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_KERNELWORDS_H
#define GPUMEMPROF_PLUGIN_KERNELWORDS_H

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace gpumemprof {

class SourceFiles;

/// Adds to Files.Kernels what launches of this function pass, if launches name it: a kernel, or
/// what nvcc makes of one for its host compiler.
void collectKernel(const clang::FunctionDecl &F, clang::ASTContext &Context, SourceFiles &Files);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_KERNELWORDS_H
