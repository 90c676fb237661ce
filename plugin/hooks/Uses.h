//===- Uses.h - hooks before calls that use memory ------------------------===//
//
// Each function of cuda_uses.def gets a thunk with one more parameter, the site of the
// call (kernels.h). While uses are not recorded, it costs a load and a branch.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_USES_H
#define GPUMEMPROF_PLUGIN_USES_H

namespace llvm {
class CallBase;
class Constant;
class Module;
} // namespace llvm

namespace gpumemprof {

class Roles;
class RuntimeABI;
class SiteTable;
class SourceFacts;

/// The site of a call of the user's code that uses memory; null in code that has none, as that of
/// kernels' stubs.
llvm::Constant *siteOfUse(const llvm::CallBase &Call, RuntimeABI &ABI, SiteTable &Table,
                          const Roles &FunctionRoles, SourceFacts &Facts, bool WithText);

/// Returns true if the module uses one of the functions.
bool reportUses(llvm::Module &M, RuntimeABI &ABI, SiteTable &Table, const Roles &FunctionRoles,
                SourceFacts &Facts, bool WithText);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_USES_H
