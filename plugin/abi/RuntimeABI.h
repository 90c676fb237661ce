//===- RuntimeABI.h - hooks.h as LLVM declarations ------------------------===//
//
// The runtime's symbols are named for the IR in this file only.
//
// Hooks that are rarely called are called through a hidden function of the object
// that preserves all general registers (preserve_most). The frequent path around such
// a call then saves no register, and a leaf function needs no stack frame.
//
// With runtime=weak every hook is a weak reference that is tested before the call,
// and each program or library has a stack and a clock of its own, which it uses until
// its constructor has attached it to a runtime. It needs them because no linker makes
// one symbol of the program's and of a preloaded runtime's.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_RUNTIMEABI_H
#define GPUMEMPROF_PLUGIN_RUNTIMEABI_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace gpumemprof {

class RuntimeABI {
public:
  RuntimeABI(llvm::Module &M, bool Weak);

  bool isWeak() const { return Weak; }

  llvm::Value *stack(llvm::IRBuilder<> &B); // the thread's struct gpumemprof_stack
  /// The same after a call. To load its offset again is cheaper than to keep it in a register that
  /// must be saved and restored. The optimiser would merge the two loads, so this one is hidden
  /// from it in inline assembly.
  llvm::Value *reloadedStack(llvm::IRBuilder<> &B);
  /// What is stored before this is stored when what comes after it is: a signal handler may come
  /// between the two. Only the code generator for AArch64, which stores in pairs, would change that
  /// order.
  void keepOrder(llvm::IRBuilder<> &B);
  llvm::Value *clock(llvm::IRBuilder<> &B); // struct gpumemprof_clock
  // The word of the clock that is not 0 while the program has hooks.
  llvm::Value *observed(llvm::IRBuilder<> &B);
  // With runtime=weak: lets the runtime find the stack and the clock of the object.
  void attach(llvm::IRBuilder<> &B);

  /// Declares a hook; \p Attributes may hold those of its parameters.
  llvm::Function *hook(llvm::StringRef Name, llvm::FunctionType *Type,
                       llvm::AttributeList Attributes = {});

  /// Calls a void hook where the builder is; a weak one is tested first, which splits the block.
  void callHook(llvm::IRBuilder<> &B, llvm::Function *Hook,
                llvm::ArrayRef<llvm::Value *> Arguments);

  /// Call frame_slow, scope_exit and unwind through functions that preserve the registers.
  /// frame_slow's result is the top of stack() afterwards.
  void callFrameSlow(llvm::IRBuilder<> &B);
  llvm::CallInst *callScopeExit(llvm::IRBuilder<> &B, llvm::Value *Frame);
  /// With \p EndsCall: calls unwind and call_ended. With \p Top: frames below it stay open.
  void callUnwind(llvm::IRBuilder<> &B, llvm::Value *Frame, bool EndsCall = false,
                  llvm::Value *Top = nullptr);
  /// Calls call_ended if memory moved in the frame. The test is in the function and not around its
  /// call, because there are many calls.
  llvm::CallInst *callCallEnded(llvm::IRBuilder<> &B, llvm::Value *Frame);

  /// A hidden function that preserves the registers (not at -O0); true if it still needs a body.
  std::pair<llvm::Function *, bool> keeper(llvm::StringRef What, llvm::FunctionType *Type);
  llvm::CallInst *callKeeper(llvm::IRBuilder<> &B, llvm::Function *F,
                             llvm::ArrayRef<llvm::Value *> Arguments);

  llvm::FunctionType *voidOf(llvm::ArrayRef<llvm::Type *> Parameters) {
    return llvm::FunctionType::get(llvm::Type::getVoidTy(Ctx), Parameters, false);
  }
  llvm::PointerType *pointer() { return llvm::PointerType::getUnqual(Ctx); }

private:
  llvm::Function *keeperOf(llvm::StringRef What, llvm::StringRef Hook);
  void endWith(llvm::IRBuilder<> &B, llvm::StringRef What, llvm::StringRef Hook,
               llvm::Value *Frame);
  llvm::GlobalVariable *runtimes(llvm::StringRef Name, llvm::Type *Content, bool ThreadLocal);
  /// A variable that each program or library has once.
  llvm::GlobalVariable *own(llvm::StringRef Name, llvm::Constant *Content, unsigned Alignment,
                            bool ThreadLocal);
  bool isAArch64() const;
  llvm::Value *threadLocal(llvm::IRBuilder<> &B, llvm::GlobalVariable *G);
  llvm::GlobalVariable *ownStack(), *stackDistance(), *clockAddress(), *sink();
  llvm::Type *stackType();
  llvm::StructType *clockType();

  llvm::Module &M;
  const bool Weak;
  llvm::LLVMContext &Ctx;
  const bool KeepsRegisters;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_RUNTIMEABI_H
