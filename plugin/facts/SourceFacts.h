//===- SourceFacts.h - what only the front end knows about the source -----===//
//
// The passes ask these questions, and SourceFiles.cpp of the front end answers them.
// Where there is no front end (opt, -fpass-plugin), NoSourceFacts knows system headers
// by their folder and nothing else. Paths are absolute, as absolutePath() makes them
// from debug locations.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SOURCEFACTS_H
#define GPUMEMPROF_PLUGIN_SOURCEFACTS_H

#include "facts/KernelParameters.h"
#include "facts/SizeOperands.h"

#include "llvm/ADT/StringRef.h"
#include <string>

namespace gpumemprof {

/// An allocation call as the source has it.
struct AllocationText {
  std::string Variable; // what receives the pointer: "s->buf"
  std::string Type;     // element type: "float"
  std::string SizeExpr; // "n * m * sizeof(float)"
  SizeOperands Operands;
};

/// No longer text of the source is kept for a site.
constexpr size_t LongestText = 400;

class SourceFacts {
public:
  virtual ~SourceFacts() = default;

  /// Functions of this file are transparent: memory is attributed to the line of the user that
  /// calls them.
  virtual bool isSystemFile(llvm::StringRef Path) = 0;

  /// The allocation call at this location, or null. \p Function is the linkage name of the
  /// enclosing function, because instantiations differ in their types. Unless \p Exact, another
  /// call on the same line will do.
  virtual const AllocationText *allocationAt(llvm::StringRef Path, unsigned Line, unsigned Column,
                                             llvm::StringRef Function, bool Exact) = 0;

  /// What receives the result of the call at exactly this location, and its arguments that are
  /// numbers: the caller of an allocation wrapper is shown as the allocation. Null if there is no
  /// such call.
  virtual const AllocationText *callAt(llvm::StringRef Path, unsigned Line, unsigned Column,
                                       llvm::StringRef Function) = 0;

  /// The operands of the size of the call at exactly this location; null if there is none or more
  /// than one call of \p Callee there.
  virtual const SizeOperands *operandsAt(llvm::StringRef Path, unsigned Line, unsigned Column,
                                         llvm::StringRef Function, llvm::StringRef Callee) = 0;

  /// Where a variable of namespace scope is declared; Line 0: not known.
  struct Declaration {
    std::string Path;
    unsigned Line = 0;
  };
  virtual Declaration variableAt(llvm::StringRef LinkageName) = 0;

  /// The parameters of the kernel that launches name by this function of the host, given by its
  /// linkage name; null if it is not known.
  virtual const KernelParameters *kernel(llvm::StringRef Function) = 0;

  /// The path of the file whose __FILE__ is \p Written; "" when there is none.
  virtual std::string pathOfFile(llvm::StringRef Written) = 0;

  /// The text of a line without blanks around it; "" when it cannot be read.
  virtual std::string lineText(llvm::StringRef Path, unsigned Line, unsigned Column) = 0;

  /// False for the code that nvcc prints for its host compiler: its columns mean nothing.
  virtual bool columnsAreReal() = 0;

  /// The user's program declares this extern "C" function itself, although it has a name like the
  /// CUDA API's or one of the C library.
  virtual bool isUserFunction(llvm::StringRef Name) = 0;
};

class NoSourceFacts final : public SourceFacts {
public:
  bool isSystemFile(llvm::StringRef Path) override;
  const AllocationText *allocationAt(llvm::StringRef, unsigned, unsigned, llvm::StringRef,
                                     bool) override {
    return nullptr;
  }
  const AllocationText *callAt(llvm::StringRef, unsigned, unsigned, llvm::StringRef) override {
    return nullptr;
  }
  const SizeOperands *operandsAt(llvm::StringRef, unsigned, unsigned, llvm::StringRef,
                                 llvm::StringRef) override {
    return nullptr;
  }
  Declaration variableAt(llvm::StringRef) override { return {}; }
  const KernelParameters *kernel(llvm::StringRef) override { return nullptr; }
  std::string pathOfFile(llvm::StringRef) override { return ""; }
  std::string lineText(llvm::StringRef, unsigned, unsigned) override { return ""; }
  bool columnsAreReal() override { return true; }
  bool isUserFunction(llvm::StringRef) override { return false; }
};

/// Joins folder and file and removes "." and "..", without looking at the disk.
std::string absolutePath(llvm::StringRef Directory, llvm::StringRef File);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SOURCEFACTS_H
