//===- SiteStores.h - the store before each call --------------------------===//
//
// `f->call = &SITE` takes an address computation and a store. Where every way to a
// call comes from one known other site of the function, a single `f->call += 48`
// does: the sites of a function lie side by side. Half of what sites cost in code,
// but more work for the compiler, so not in a function that is not optimised.
// What the call's size is computed from goes into the frame with it.
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
  /// Looks at the untouched function. \p AtEntry: what enter leaves in f->call.
  SiteStores(llvm::Function &F, llvm::SmallVector<SiteStore, 8> Stores, int AtEntry);

  bool empty() const { return Stores.empty(); }
  void emit(llvm::Value *Frame) const;

private:
  llvm::SmallVector<SiteStore, 8> Stores;
  llvm::SmallVector<int, 8> Previous; // index in f->call just before each store
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SITESTORES_H
