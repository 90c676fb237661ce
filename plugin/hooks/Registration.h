//===- Registration.h - one constructor per shared object -----------------===//
//
// Makes struct gpumemprof_module, the constructor that passes it to the runtime and
// the destructor that withdraws it. All are linkonce_odr and hidden, so the linker
// keeps one of each per program or library, however many objects have them.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_REGISTRATION_H
#define GPUMEMPROF_PLUGIN_REGISTRATION_H

namespace llvm {
class Module;
}

namespace gpumemprof {

class RuntimeABI;

void registerModule(llvm::Module &M, RuntimeABI &ABI);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_REGISTRATION_H
