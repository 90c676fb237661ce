//===- HarmlessCalls.h - external functions that move no memory -----------===//
//
// Reachability asks here about every function that is only declared. In real programs
// most frames exist because of unknown calls, not of CUDA calls, so each function that
// is known to be harmless saves more than anything else.
//
// That a call is harmless is an assumption. It is made for exact names of the C, C++
// and CUDA libraries, and for functions that the user's filter calls harmless. The
// names are collected here and checked at run time (hooks/Assumptions.h).
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_HARMLESSCALLS_H
#define GPUMEMPROF_PLUGIN_HARMLESSCALLS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace gpumemprof {

class Filter;
class SourceFacts;

/// How the filter file and the runtime's message call the two ways of an indirect call.
constexpr llvm::StringLiteral StreamsWord = "std::basic_streambuf";
constexpr llvm::StringLiteral ExceptionsWord = "__cxa_end_catch";

class HarmlessCalls {
public:
  HarmlessCalls(const llvm::Module &M, SourceFacts &Facts, const Filter &UserFilter);

  /// The external \p F neither moves memory nor calls the program back on this thread.
  bool isHarmless(const llvm::Function &F);

  /// \p F is a function of the C library, the compiler's runtime or CUDA, known by its name. It
  /// returns and stores no function pointers of others.
  bool isOfLibrary(const llvm::Function &F);

  /// A variable of the C library that holds no function pointer.
  static bool isLibraryVariable(llvm::StringRef Name);

  /// The name is of one of the lists, so a definition of it may contradict what other files
  /// assumed.
  bool isOfTheLists(llvm::StringRef Name);

  /// \p F is usually harmless but may run code of the program: exit handlers, destructors of
  /// exceptions, functions of the program that do not return. Its calls get a site where the
  /// function has a frame for another reason; they are no reason for a frame.
  bool mayRunProgramCode(const llvm::Function &F);

  /// \p F is a function of another file that does not return; it may throw or jump.
  bool isErrorHandlerElsewhere(const llvm::Function &F);

  /// Indirect ways into code of the program. A way is distrusted when this file or the filter shows
  /// that the code moves memory (Operators: the filter only).
  enum Indirectly { Streams = 1, Exceptions = 2, Operators = 4 };
  bool distrusts(Indirectly Way) const { return Distrusted & Way; }
  void distrust(Indirectly Way);

  /// The filter says that calls of \p F move memory.
  bool isListedAsAllocating(const llvm::Function &F) const;

  /// The names that were assumed to be harmless so far.
  const llvm::StringSet<> &assumed() const { return Assumed; }
  void assume(llvm::StringRef Name) { Assumed.insert(Name); }

  /// The argument through which \p F, otherwise harmless, calls the program back, or -1.
  static int callbackArgument(const llvm::Function &F);

  /// The user's filter says that \p F is harmless.
  bool isPromised(const llvm::Function &F) const;

  /// The virtual call goes to one of libstdc++'s locale facets or stream buffers.
  bool callsOnlyFacets(const llvm::CallBase &Call);

private:
  bool isOfFacets(const llvm::Function &F);
  bool decide(const llvm::Function &F);
  bool isListed(const llvm::Function &F);

  llvm::TargetLibraryInfoImpl LibraryImpl;
  llvm::TargetLibraryInfo Library;
  SourceFacts &Facts;
  const Filter &UserFilter;
  llvm::DenseMap<const llvm::Function *, bool> Known, Facets;
  llvm::StringSet<> Assumed;
  unsigned Distrusted = 0;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_HARMLESSCALLS_H
