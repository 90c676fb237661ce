//===- Launches.h - launches that report themselves -----------------------===//
//
// `kernel<<<>>>()` of a kernel that the module defines calls a copy of the kernel's
// stub, which has one more parameter, the record of the launch (kernels.h). So a launch
// that repeats the one before is recorded without a search, and compares values that are
// already in memory. Other launches go by the thunks of Uses.h.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_LAUNCHES_H
#define GPUMEMPROF_PLUGIN_LAUNCHES_H

namespace llvm {
class Module;
} // namespace llvm

namespace gpumemprof {

struct UseSites;

/// Comes before reportUses. Returns true if there is such a launch.
bool reportLaunches(llvm::Module &M, const UseSites &Sites);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_LAUNCHES_H
