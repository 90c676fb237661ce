//===- SiteStores.h - the store before each call --------------------------===//
//
// `f->call = &SITE` takes an address computation and a store. Where every path to a
// call comes from one known other site of the function, a single `f->call += 48` is
// enough, because the sites of a function are adjacent. This halves the code of sites
// but is more work for the compiler, so it is not done in a function that is not
// optimised. The operands of the call's size are stored into the frame as well.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SITESTORES_H
#define GPUMEMPROF_PLUGIN_SITESTORES_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Instruction;
class Value;
} // namespace llvm

namespace gpumemprof {

struct SiteStore {
  llvm::Instruction *Before;
  llvm::Value *Site;
  int Index = Unknown; // in the function's array
  static constexpr int Unknown = -1;
  llvm::SmallVector<llvm::Value *, 4> Operands = {}; // 64 bits each; exist before the call
};

class SiteStores {
public:
  /// Examines the function before it is changed. \p AtEntry: the site that enter leaves in f->call.
  SiteStores(llvm::Function &F, llvm::SmallVector<SiteStore, 8> Stores, int AtEntry);

  bool empty() const { return Stores.empty(); }
  void emit(llvm::Value *Frame) const;

private:
  llvm::SmallVector<SiteStore, 8> Stores;
  llvm::SmallVector<int, 8> Previous; // index in f->call just before each store
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SITESTORES_H
