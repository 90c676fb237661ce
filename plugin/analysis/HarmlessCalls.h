//===- HarmlessCalls.h - external functions that can not allocate ---------===//
//
// Asked by Reachability for every function that is only declared. What keeps
// functions instrumented in real programs are unknown calls, not CUDA calls, so
// knowing these is worth more than any other saving.
//
// That a call is harmless is an assumption: it holds for exact functions of the
// C, C++ and CUDA libraries, and for what the user's filter promises. The names
// are collected here and checked at run time (Assumptions.h).
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

/// What the filter file calls the two ways; also in the sentence of the run time.
constexpr llvm::StringLiteral StreamsWord = "std::basic_streambuf";
constexpr llvm::StringLiteral ExceptionsWord = "__cxa_end_catch";

class HarmlessCalls {
public:
  HarmlessCalls(const llvm::Module &M, SourceFacts &Facts, const Filter &UserFilter);

  /// The external \p F neither allocates nor calls back on this thread.
  bool isHarmless(const llvm::Function &F);

  /// A function of the C library, the compiler's runtime or CUDA, known by its name: it neither
  /// knows pointers of others nor hands them out.
  bool isOfLibrary(const llvm::Function &F);

  /// A variable of the C library that holds no function pointer.
  static bool isLibraryVariable(llvm::StringRef Name);

  /// \p F is known by name: its definition elsewhere may contradict what others assumed.
  bool isOfTheLists(llvm::StringRef Name);

  /// Harmless only as a rule: exit handlers, destructors of exceptions, and functions of the
  /// program's that do not return. Worth a line, not worth a frame.
  bool runsCodeNowAndThen(const llvm::Function &F);

  /// The last of these: it is of no library, and may throw or jump.
  bool isErrorHandlerElsewhere(const llvm::Function &F);

  /// Calls through these run code that this file, or of Operators the filter, knows to move memory.
  enum Indirectly { Streams = 1, Exceptions = 2, Operators = 4 };
  bool distrusts(Indirectly Way) const { return Distrusted & Way; }
  void distrust(Indirectly Way);

  /// The filter says that calls of \p F, or through what \p Name stands for, move memory.
  bool isSaidToMove(const llvm::Function &F) const;

  /// Names that were taken for harmless so far.
  const llvm::StringSet<> &assumed() const { return Assumed; }
  void assume(llvm::StringRef Name) { Assumed.insert(Name); }

  /// The argument through which \p F, otherwise harmless, calls the program back, or -1.
  static int callbackArgument(const llvm::Function &F);

  /// The user's filter says so of \p F.
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
