//===- SourceFacts.h - what only the front end knows about the source -----===//
//
// The pass asks, SourceFiles.cpp (front end) answers. Where there is no front
// end (opt, -fpass-plugin) NoSourceFacts knows system headers by their folder
// and nothing else. Paths are absolute, as absolutePath() makes them from the
// debug locations.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SOURCEFACTS_H
#define GPUMEMPROF_PLUGIN_SOURCEFACTS_H

#include "facts/SizeOperands.h"

#include "llvm/ADT/StringRef.h"
#include <string>

namespace gpumemprof {

/// What an allocation call says in the source, as written there.
struct AllocationText {
  std::string Variable; // what receives the pointer: "s->buf"
  std::string Type;     // element type: "float"
  std::string SizeExpr; // "n * m * sizeof(float)"
  SizeOperands Operands;
};

/// No more characters of the source are kept for one site.
constexpr size_t LongestText = 400;

class SourceFacts {
public:
  virtual ~SourceFacts() = default;

  /// Functions of this file are transparent: the user's calling line stands.
  virtual bool isSystemFile(llvm::StringRef Path) = 0;

  /// The allocation call at this place, or null. \p Function is the linkage
  /// name of the enclosing function: instantiations differ in their types.
  /// \p Exact: not another one of its line.
  virtual const AllocationText *allocationAt(llvm::StringRef Path, unsigned Line, unsigned Column,
                                             llvm::StringRef Function, bool Exact) = 0;

  /// The operands of the size of the call at exactly this place, if there is but one of \p Callee
  /// there, else null.
  virtual const SizeOperands *operandsAt(llvm::StringRef Path, unsigned Line, unsigned Column,
                                         llvm::StringRef Function, llvm::StringRef Callee) = 0;

  /// Where a variable of namespace scope is declared; Line 0: not known.
  struct Declaration {
    std::string Path;
    unsigned Line = 0;
  };
  virtual Declaration variableAt(llvm::StringRef LinkageName) = 0;

  /// The path of the file that __FILE__ names like this; "" when there is none.
  virtual std::string pathOfFile(llvm::StringRef Written) = 0;

  /// The text of a line, trimmed; "" when it can not be read.
  virtual std::string lineText(llvm::StringRef Path, unsigned Line, unsigned Column) = 0;

  /// False for code re-printed by nvcc, whose columns mean nothing.
  virtual bool columnsAreReal() = 0;

  /// An extern "C" function that looks like the CUDA API or has a name of the C library, but is the
  /// user's.
  virtual bool isUserFunction(llvm::StringRef Name) = 0;
};

class NoSourceFacts final : public SourceFacts {
public:
  bool isSystemFile(llvm::StringRef Path) override;
  const AllocationText *allocationAt(llvm::StringRef, unsigned, unsigned, llvm::StringRef,
                                     bool) override {
    return nullptr;
  }
  const SizeOperands *operandsAt(llvm::StringRef, unsigned, unsigned, llvm::StringRef,
                                 llvm::StringRef) override {
    return nullptr;
  }
  Declaration variableAt(llvm::StringRef) override { return {}; }
  std::string pathOfFile(llvm::StringRef) override { return ""; }
  std::string lineText(llvm::StringRef, unsigned, unsigned) override { return ""; }
  bool columnsAreReal() override { return true; }
  bool isUserFunction(llvm::StringRef) override { return false; }
};

/// Folder and file joined and "." and ".." taken out, without asking the disk.
std::string absolutePath(llvm::StringRef Directory, llvm::StringRef File);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SOURCEFACTS_H
