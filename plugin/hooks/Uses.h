//===- Uses.h - hooks before calls that use memory ------------------------===//
//
// Each function of cuda_uses.def gets a thunk with one more parameter, the site of the
// call (kernels.h). While uses are not recorded, it costs a load and a branch.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_USES_H
#define GPUMEMPROF_PLUGIN_USES_H

#include "llvm/IR/IRBuilder.h"

namespace llvm {
class CallBase;
class Constant;
class Function;
class FunctionType;
class MDNode;
class Module;
class Twine;
class Value;
} // namespace llvm

namespace gpumemprof {

class Roles;
class RuntimeABI;
class SharedPlaces;
class SiteTable;
class SourceFacts;

/// Makes the sites of calls that use memory.
struct UseSites {
  RuntimeABI &ABI;
  SiteTable &Table;
  const Roles &FunctionRoles;
  SourceFacts &Facts;
  bool WithText;
  const SharedPlaces &Shared;

  /// The site of a call of the user's code; null in code that has none, as that of kernels' stubs.
  llvm::Constant *of(const llvm::CallBase &Call) const;
};

/// A function for calls of CUDA, which each object has once. Its body is an empty block.
llvm::Function *makeUseThunk(llvm::Module &M, llvm::FunctionType *Type, const llvm::Twine &Name);

/// Puts a call of \p Callee with one more argument in the place of the call.
void callWith(llvm::CallBase &Call, llvm::Function &Callee, llvm::Value &More);

/// Lets \p B insert where code runs that comes before \p Next while uses are recorded.
void insertWhereRecorded(llvm::IRBuilder<> &B, llvm::Instruction &Next, RuntimeABI &ABI,
                         llvm::MDNode *Weights);

/// Returns true if the module uses one of the functions.
bool reportUses(llvm::Module &M, const UseSites &Sites);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_USES_H
