//===- RuntimeABI.h - hooks.h as LLVM declarations ------------------------===//
//
// The only file that spells the runtime's symbols for the IR.
//
// Cold hooks are called through a hidden function of the object that keeps all
// general registers (preserve_most): so the hot path around a call that is never
// taken saves nothing, and a leaf needs no stack frame.
//
// With runtime=weak every hook is a weak reference that is tested before the call,
// and each program or library has a stack and a clock of its own, which stand in
// until its constructor attached it to a runtime. Where that is preloaded, no linker
// would make one symbol of the program's and the runtime's.
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
  /// The same after a call. Loading its offset once more is cheaper than to keep it in a register
  /// that must be saved and restored; the optimiser would merge the two, so it does not see this
  /// one.
  llvm::Value *stackAgain(llvm::IRBuilder<> &B);
  llvm::Value *clock(llvm::IRBuilder<> &B); // struct gpumemprof_clock
  llvm::Value *told(llvm::IRBuilder<> &B);  // its word, a uint64_t
  void attach(llvm::IRBuilder<> &B);        // if weak: finds them

  /// Declares a hook; \p Attributes may hold those of its parameters.
  llvm::Function *hook(llvm::StringRef Name, llvm::FunctionType *Type,
                       llvm::AttributeList Attributes = {});

  /// Calls a void hook at the builder's place, tested if weak. The block may be split.
  void callHook(llvm::IRBuilder<> &B, llvm::Function *Hook,
                llvm::ArrayRef<llvm::Value *> Arguments);

  /// frame_slow, scope_exit and unwind, through functions that keep the registers. frame_slow's
  /// answer is top of stack() afterwards.
  void callFrameSlow(llvm::IRBuilder<> &B);
  void callScopeExit(llvm::IRBuilder<> &B, llvm::Value *Frame);
  /// With \p EndsCall: unwind and call_ended. With \p Top: frames below it stay.
  void callUnwind(llvm::IRBuilder<> &B, llvm::Value *Frame, bool EndsCall = false,
                  llvm::Value *Top = nullptr);
  /// The same for call_ended, where memory moved in the frame: the code is small and in many
  /// places.
  void callCallEnded(llvm::IRBuilder<> &B, llvm::Value *Frame);

  /// A hidden function that keeps the registers (not at -O0), and true if it still needs a body.
  std::pair<llvm::Function *, bool> keeper(llvm::StringRef What, llvm::FunctionType *Type);
  llvm::CallInst *callKeeper(llvm::IRBuilder<> &B, llvm::Function *F,
                             llvm::ArrayRef<llvm::Value *> Arguments);

  llvm::FunctionType *voidOf(llvm::ArrayRef<llvm::Type *> Parameters) {
    return llvm::FunctionType::get(llvm::Type::getVoidTy(Ctx), Parameters, false);
  }
  llvm::PointerType *pointer() { return llvm::PointerType::getUnqual(Ctx); }

private:
  llvm::Function *keeperOf(llvm::StringRef What, llvm::ArrayRef<llvm::StringRef> Hooks);
  llvm::GlobalVariable *runtimes(llvm::StringRef Name, llvm::Type *Content, bool ThreadLocal);
  /// One for each program or library.
  llvm::GlobalVariable *own(llvm::StringRef Name, llvm::Constant *Content, unsigned Alignment,
                            bool ThreadLocal);
  llvm::GlobalVariable *ownStack(), *stackDistance(), *clockPlace(), *sink();
  llvm::Type *stackType();
  llvm::StructType *clockType();

  llvm::Module &M;
  const bool Weak;
  llvm::LLVMContext &Ctx;
  const bool KeepsRegisters;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_RUNTIMEABI_H
