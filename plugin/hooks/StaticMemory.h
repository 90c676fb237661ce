//===- StaticMemory.h - variables in device memory ------------------------===//
//
// __device__, __constant__ and __managed__ variables take memory without a call of
// the program. Start-up code of each object, made by clang or nvcc, registers them
// with CUDA; after each registration a call is inserted that tells the runtime where
// the variable is declared.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_STATICMEMORY_H
#define GPUMEMPROF_PLUGIN_STATICMEMORY_H

namespace llvm {
class Module;
}

namespace gpumemprof {

class RuntimeABI;
class SiteTable;
class SourceFacts;

/// True when the module has such variables.
bool reportStaticMemory(llvm::Module &M, RuntimeABI &ABI, SiteTable &Table, SourceFacts &Facts,
                        bool WithText);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_STATICMEMORY_H
