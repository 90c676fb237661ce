//===- Options.h - the options -fplugin-arg-gpumemprof-KEY=VALUE ----------===//
//
// Parsed by Plugin.cpp from the command line and by PassPlugin.cpp from
// `opt -passes='gpumemprof<KEY=VALUE;...>'`; read by the pass.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_OPTIONS_H
#define GPUMEMPROF_PLUGIN_OPTIONS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace gpumemprof {

enum class Mode {
  All,       // functions that may reach an allocation or a free
  Annotated, // annotated functions and those that call the CUDA API themselves
  Every      // no pruning, for comparisons
};

struct Options {
  Mode WhichFunctions = Mode::All;
  std::string FilterFile;   // special case list; empty: none
  bool SourceText = true;   // put size expressions and source lines into the sites
  bool Operands = true;     // record the operands of sizes; needs the source text
  bool WeakRuntime = false; // the program also runs without libgpumemprof

  bool SamplesLibraries = false; // unaccounted=calls: LibraryCalls.h
  bool Pages = false;            // uses=pages: device code marks the pages that it uses
  bool KernelFacts = true;       // device code says what its kernels do; uses=off: it is left alone

  /// Sets one option from "KEY=VALUE". Returns "", or one sentence that says what is wrong.
  std::string parse(llvm::StringRef Argument);
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_OPTIONS_H
