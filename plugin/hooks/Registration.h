//===- Registration.h - one constructor per shared object -----------------===//
//
// struct gpumemprof_module, the constructor that hands it to the runtime and the
// destructor that takes it back. All linkonce_odr and hidden: the linker keeps one
// per program or library, whatever number of objects brought it.
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
