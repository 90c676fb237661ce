//===- HostUse.h - managed memory that the host cannot reach --------------===//
#ifndef GPUMEMPROF_PLUGIN_HOSTUSE_H
#define GPUMEMPROF_PLUGIN_HOSTUSE_H

namespace llvm {
class CallBase;
} // namespace llvm

namespace gpumemprof {

class SourceFacts;

/// Whether the call allocates managed memory whose pointer is in a variable of this file alone, and
/// goes from there to kernels and to functions of CUDA that give memory back or fill it, so that no
/// code of the host reads or writes the memory. False if that is not certain, and of other calls.
/// No call of the file may have been replaced yet.
bool isForDevicesOnly(const llvm::CallBase &Allocation, SourceFacts &Facts);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_HOSTUSE_H
