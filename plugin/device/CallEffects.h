//===- CallEffects.h - what a call in device code does to memory ----------===//
//
// Of everything that is no function with a body: intrinsics, inline assembly (its text is
// PTX), functions of the device's runtime, calls through a pointer. Nothing here depends on
// what the arguments are; AddressFlow.h follows them, KernelAccess.h judges them.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_CALLEFFECTS_H
#define GPUMEMPROF_PLUGIN_CALLEFFECTS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

namespace gpumemprof {

enum AccessKind : unsigned { Reads = 1, Writes = 2, Escapes = 4 };

/// Why it is not known what a kernel touches (kernel_reasons.def).
enum class Reason : unsigned {
#define GPUMEMPROF_KERNEL_REASON(NAME, letter, text) NAME,
#include "gpumemprof/kernel_reasons.def"
  Count
};

enum class ResultOf {
  Nothing,   // a number, or a null pointer
  Kept,      // one of the arguments
  Computed,  // a number that is computed from them
  Assembly,  // the one or the other
  Load,      // what is where the arguments point to
  Unknown,   // anything
  Allocator, // malloc on the device
  Shared,    // an address in shared memory
  Driver     // memory of the driver
};

struct CallEffect {
  struct Touched {
    unsigned Argument;
    unsigned How; // Reads, Writes
  };
  const llvm::Function *Body = nullptr; // a function that is followed; then the rest is not set
  llvm::SmallVector<Touched, 2> Touches;
  ResultOf Result = ResultOf::Computed;
  bool Copies = false;     // from its second argument to its first, as many bytes as its third
  bool Fills = false;      // with bytes that are no address
  bool ToShared = false;   // assembly writes its arguments, or what it loads, to shared memory
  bool FromShared = false; // it loads from there
  bool ToAny = false;      // it writes them to an address that is no argument
  llvm::SmallVector<unsigned, 4> Values; // arguments that it may write, though it touches them
  bool TakesAll = false; // all arguments, and what they point to, may be stored anywhere
  bool Prints = false;   // what the second argument points to
  bool Asks = false;     // compares its arguments, so that more than its result depends on them
  bool Opens = false;    // for Why
  Reason Why = Reason::Count; // with Name
  llvm::StringRef Name;       // of a function or an instruction; lives as long as the module
};

CallEffect effectOf(const llvm::CallBase &Call);
/// InlineAssembly.cpp
CallEffect effectOfAssembly(const llvm::CallBase &Call);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_CALLEFFECTS_H
