//===- KernelWords.h - the words of a kernel's parameters, from the AST ---===//
//
// AllocationText.cpp calls this for each kernel that it visits.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_KERNELWORDS_H
#define GPUMEMPROF_PLUGIN_KERNELWORDS_H

#include "facts/KernelParameters.h"

namespace clang {
class ASTContext;
class FunctionDecl;
} // namespace clang

namespace gpumemprof {

/// Whether launches name this function: a kernel, or what nvcc makes of one for its host compiler.
bool isKernel(const clang::FunctionDecl &F);

KernelParameters wordsOf(const clang::FunctionDecl &Kernel, const clang::ASTContext &Context);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_KERNELWORDS_H
