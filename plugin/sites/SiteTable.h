//===- SiteTable.h - constants of struct gpumemprof_site ------------------===//
//
// A site goes into the section "gpumemprof_sites" and into no COMDAT: a template that
// is compiled twice has two sets of sites, which the runtime merges by content. A site
// refers to its strings by 32-bit offsets from the field itself, so start-up needs no
// relocations. The sites of a function are one array, so that code can step from one
// to the next.
//
// !associated is not used, because full LTO aborts once the function is inlined away;
// nor is llvm.compiler.used: references in code keep sites alive, and unreferenced
// ones may be dropped.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SITETABLE_H
#define GPUMEMPROF_PLUGIN_SITETABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/GlobalVariable.h"
#include <cstdint>
#include <string>

namespace llvm {
class Function;
}

namespace gpumemprof {

constexpr llvm::StringLiteral SiteSection = "gpumemprof_sites";
constexpr llvm::StringLiteral AssumedSection = "gpumemprof_assumed";
constexpr llvm::StringLiteral KernelsSection = "gpumemprof_kernels";
constexpr llvm::StringLiteral MoversSection = "gpumemprof_movers";
/// Of code: all calls of CUDA's functions. The runtime takes such calls elsewhere in the object for
/// those of files that were not rebuilt.
constexpr llvm::StringLiteral ThunksSection = "gpumemprof_thunks";

/// Keeps sanitizers from putting red zones around a global: the entries of a table must be
/// adjacent.
void keepSanitizersOut(llvm::GlobalVariable &G);

/// The distance from the byte \p At of a table of ours to \p To, in 32 bits.
llvm::Constant *distance(llvm::Constant *To, llvm::Constant *Table, size_t At);

/// The content of one site; empty strings become "none".
struct Site {
  uint16_t Kind = 0;
  uint16_t Flags = 0;
  uint32_t Line = 0;
  uint32_t Column = 0;
  std::string File, Function, Callee, Variable, Type, SizeExpr, SourceLine;
  std::string LinkageName; // FUNCTION: its own; CALL: the callee's; hooks.h says which have one
  const llvm::Function *Enters = nullptr; // CALL: whose frame must be the next one
  std::string OperandNames;               // each with a NUL behind it
  uint8_t Operands = 0;                   // how many
  uint8_t SignedOperands = 0;             // a bit for each
};

class SiteTable {
public:
  explicit SiteTable(llvm::Module &M);
  SiteTable(const SiteTable &) = delete;
  ~SiteTable(); // emits the texts, whose number is known only now

  /// The addresses of the sites of one function. \p Of: the function, if the first is its scope.
  llvm::SmallVector<llvm::Constant *, 8> add(llvm::ArrayRef<Site> Sites,
                                             const llvm::Function *Of = nullptr);

  /// A table of ours whose fields refer to texts. It is made once for each table, because a
  /// difference of addresses for each field would take a tenth of the compile time of a file of
  /// small functions at -O0.
  struct Referring {
    llvm::Constant *Table;
    size_t Size; // in bytes
    llvm::Constant *TextsFromEnd;
  };
  Referring referring(llvm::Constant *Table, size_t Size);

  /// The distance to \p Text from the byte \p At of the table.
  llvm::Constant *distanceToText(llvm::StringRef Text, const Referring &From, size_t At);

private:
  llvm::Constant *content(const Site &S, const Referring &From, size_t At);
  llvm::GlobalVariable *operands(const Site &S);
  llvm::GlobalVariable *scopeOf(const llvm::Function &F);
  size_t offsetOf(llvm::StringRef Text);

  llvm::Module &M;
  llvm::StructType *Entry; // struct gpumemprof_site
  // All texts one after the other, and where each begins. Texts is a placeholder until all are
  // known.
  std::string AllTexts;
  llvm::StringMap<size_t> Offsets;
  llvm::GlobalVariable *Texts = nullptr;
  // The sites of each function, or a placeholder until they are added.
  llvm::DenseMap<const llvm::Function *, llvm::GlobalVariable *> Scopes;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SITETABLE_H
