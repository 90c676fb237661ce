//===- Pass.cpp - decides what each function and call gets ----------------===//
//
// First everything is decided on the unchanged module (Roles, Reachability), then
// functions are changed one by one, CUDA calls last. So analyses and sites see the
// program as clang wrote it. A module with nothing to instrument stays as it was.
//
//===----------------------------------------------------------------------===//
#include "passes/Pass.h"

#include "abi/RuntimeABI.h"
#include "analysis/CalleeFrames.h"
#include "analysis/HostUse.h"
#include "analysis/LineCalls.h"
#include "analysis/Reachability.h"
#include "analysis/ReturnPosition.h"
#include "analysis/Roles.h"
#include "analysis/Wrappers.h"
#include "base/Compat.h"
#include "base/CompatPipeline.h"
#include "base/IRQueries.h"
#include "device/KernelFacts.h"
#include "device/PageMarks.h"
#include "frames/Coroutines.h"
#include "frames/FrameInserter.h"
#include "hooks/Assumptions.h"
#include "hooks/KernelTable.h"
#include "hooks/Launches.h"
#include "hooks/LibraryUses.h"
#include "hooks/PageFinder.h"
#include "hooks/PoolHooks.h"
#include "hooks/Registration.h"
#include "hooks/StaticMemory.h"
#include "hooks/Thunks.h"
#include "hooks/Uses.h"
#include "names/CudaNames.h"
#include "names/Names.h"
#include "passes/Checks.h"
#include "sites/ScopeFiles.h"
#include "sites/SharedPlaces.h"
#include "sites/Sites.h"
#include "sites/SizeOperandValues.h"

#include "gpumemprof/hooks.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr StringLiteral DoneMarker = "gpumemprof.done";
constexpr char RemarkName[] = "gpumemprof"; // -Rpass-analysis=gpumemprof

bool isDevice(const Module &M) {
  Triple T = compat::targetTriple(M);
  return T.isNVPTX() || T.isAMDGPU() || T.isSPIRV() || T.isSPIR();
}

/// The layouts of hooks.h are for 64-bit ELF, and the machine stack is read by register name.
bool isSupported(const Module &M) {
  Triple T = compat::targetTriple(M);
  bool KnownArch = T.getArch() == Triple::x86_64 || T.getArch() == Triple::aarch64;
  return KnownArch && T.isOSBinFormatELF() && M.getDataLayout().getPointerSizeInBits() == 64;
}

class Instrumenter {
public:
  Instrumenter(Module &M, PassContext &Context)
      : M(M), Context(Context), ABI(M, Context.Settings.WeakRuntime), Table(M),
        FunctionRoles(M, *Context.Facts, Context.UserFilter), Shared(M, *Context.Facts),
        Reach(M, FunctionRoles, *Context.Facts, Context.UserFilter,
              Context.Settings.WhichFunctions),
        Lines(
            Reach, Callees, [this](const Function &F) { return hasFrame(F); },
            Context.Settings.WhichFunctions != Mode::Annotated) {}

  bool run() {
    checkPromises(M, Reach);
    checkBudgets(M, FunctionRoles);
    checkResolvers(M, FunctionRoles, Reach);
    SmallVector<Function *, 0> Framed, Coroutines, Guarded, Catching;
    for (Function &F : M) {
      if (F.isDeclaration()) continue;
      bool HasFrame = hasFrame(F);
      if (HasFrame) (FunctionRoles.of(F) == Role::User ? Framed : Coroutines).push_back(&F);
      else if (FunctionRoles.of(F) != Role::Ours && !F.isPresplitCoroutine() &&
               !F.hasFnAttribute(Attribute::Naked) && !FunctionRoles.runsBeforeRelocation(F)) {
        if (Reach.mayAllocate(F)) Guarded.push_back(&F);
        else if (Reach.mayLeaveFrames(F)) Catching.push_back(&F);
      }
    }
    // A file in which nothing is instrumented stays as it was.
    if (!Framed.empty() || !Coroutines.empty()) Guarded.append(Catching);
    Callees.find(Framed, FunctionRoles, Reach);
    for (Function *F : Framed) // code of a coroutine runs when somebody resumes it, not at a call
      if (!FunctionRoles.isNotWrapper(*F))
        Allocators.find(*F, [this](const CallBase &Call) { return Reach.mayAllocate(Call); });
    for (Function *F : Framed) giveFrame(*F);
    for (Function *F : Coroutines) prepareCoroutine(*F);
    for (Function *F : Guarded) FrameInserter(*F, ABI).guard(comesBackTo(*F));
    bool Statics = reportStaticMemory(M, ABI, Table, *Context.Facts, Context.Settings.SourceText);
    bool Samples = sampleLibraryCalls(M, ABI, Context.UserFilter);
    bool Thunks = replaceCudaCalls(M, ABI);
    UseSites Sites{ABI, Table, FunctionRoles, *Context.Facts, Context.Settings.SourceText, Shared};
    bool Uses = reportLaunches(M, Sites);
    Uses |= reportUses(M, Sites);
    Uses |= reportLibraryUses(M, Sites, Context.UserFilter);
    Uses |= emitKernels(M, Table, *Context.Facts);
    if (Context.Settings.Pages) Uses |= reportPageFinder(M, ABI);
    bool Pools = insertPoolHooks(M, FunctionRoles, ABI);
    bool Any =
        Statics || Samples || Thunks || Uses || Pools || !Framed.empty() || !Coroutines.empty();
    if (!Any) return false; // no site of this file depends on its assumptions
    emitAssumptions(M, Reach, Table, Scopes, Context.Settings.WhichFunctions);
    registerModule(M, ABI);
    return true;
  }

private:
  bool wantsFrame(const Function &F) {
    Role R = FunctionRoles.of(F);
    if (R != Role::User && R != Role::Coroutine) return false;
    if (FunctionRoles.isProfiled(F)) return true;
    if (FunctionRoles.budget(F)) return Reach.mayAllocate(F); // a budget is judged in every mode
    if (Context.Settings.WhichFunctions == Mode::Annotated) return Reach.callsCudaItself(F);
    return Reach.mayAllocate(F);
  }

  bool hasFrame(const Function &F) {
    bool Possible = FunctionRoles.of(F) == Role::User || Context.CoroutinesWillBeSplit;
    return Possible && wantsFrame(F);
  }

  SmallVector<CallBase *, 8> callsWithSites(Function &F) {
    SmallVector<CallBase *, 8> Calls;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Reach.needsSite(*Call))
        Calls.push_back(Call);
    return Calls;
  }

  Site siteOf(const CallBase &Call, StringRef Name, const SizeValues &Values) {
    auto *Callee = calleeOf(Call);
    const PoolFunction *Pool = Callee ? FunctionRoles.allocator(*Callee) : nullptr;
    Site S =
        callSite(Call, Name, *Context.Facts, Context.Settings.SourceText, Pool && Pool->Allocates);
    describe(Values, S);
    if (Lines.spans(Call)) S.Flags |= GPUMEMPROF_SITE_SPANS;
    S.Flags |= Allocators.flagsOf(Call);
    if (Shared.count(Call) > 1) S.Flags |= GPUMEMPROF_SITE_SEVERAL;
    if (!Callee && none_of(Call.args(), [](const Use &A) { return A->getType()->isIntegerTy(); }))
      S.Flags |= GPUMEMPROF_SITE_NO_NUMBERS;
    if (Callee && Callee->isDeclaration() && runsNoCodeOfProgram(Callee->getName()))
      S.Flags |= GPUMEMPROF_SITE_CUDA;
    if (isForDevicesOnly(Call, *Context.Facts)) S.Flags |= GPUMEMPROF_SITE_DEVICES_ONLY;
    return S;
  }

  void describeCallee(const CallBase &Call, Site &S) {
    S.Enters = Callees.entered(Call);
    if (S.Enters) S.Flags |= GPUMEMPROF_SITE_ENTERS;
    else S.LinkageName = Callees.declared(Call).str();
  }

  SizeValues sizeValuesOf(CallBase &Call) {
    bool Wanted = Context.Settings.Operands && Context.Settings.SourceText;
    return findSizeValues(Call, Wanted ? sizeOperandsOf(Call, *Context.Facts) : nullptr);
  }

  /// Whether memory may move after an exception, in this function or in its caller after a return,
  /// before a frame restores the shadow stack.
  bool matters(const LandingPadInst &Pad) {
    SmallPtrSet<const BasicBlock *, 8> Seen{Pad.getParent()};
    SmallVector<const BasicBlock *, 8> Work{Pad.getParent()};
    while (!Work.empty()) {
      const BasicBlock *Block = Work.pop_back_val();
      for (const Instruction &I : *Block) {
        auto *Call = dyn_cast<CallBase>(&I);
        if (isa<ReturnInst>(I) || (Call && Reach.needsSite(*Call))) return true;
      }
      for (const BasicBlock *Next : successors(Block))
        if (Seen.insert(Next).second) Work.push_back(Next);
    }
    return false;
  }

  SmallVector<Instruction *, 4> comesBackTo(Function &F) {
    return comesBackAfter(F, [&](const LandingPadInst &Pad) { return matters(Pad); });
  }

  /// If the activation ends before \p Call: how. Otherwise nullopt.
  std::optional<EarlyEnd> endsActivation(CallBase &Call) {
    auto *Inst = dyn_cast<CallInst>(&Call);
    if (!Inst) return std::nullopt;
    if (Inst->isMustTailCall()) return EarlyEnd{Inst, {}};
    Function &F = *Call.getFunction();
    if (FunctionRoles.budget(F)) return std::nullopt; // its budget covers what it calls
    // longjmp comes back to the function's frame, and the optimiser makes no tail calls in it.
    if (any_of(instructions(F), [](const Instruction &I) {
          auto *Other = dyn_cast<CallBase>(&I);
          return Other && returnsTwice(*Other);
        }))
      return std::nullopt;
    auto *Callee = calleeOf(Call);
    if (!Callee || !Reach.isRecursive(F, *Callee)) return std::nullopt;
    auto Way = wayToReturn(*Inst);
    return Way ? std::optional(EarlyEnd{Inst, std::move(*Way)}) : std::nullopt;
  }

  /// Emits a remark for each call because of which the function has a frame, so that a reader can
  /// follow the calls.
  void explain(const Function &F, StringRef Name, ArrayRef<CallBase *> Calls) {
    OptimizationRemarkEmitter Remarks(&F);
    for (const CallBase *Call : Calls)
      if (Reach.mayAllocate(*Call))
        Remarks.emit([&] {
          return OptimizationRemarkAnalysis(RemarkName, "Frame", Call)
                 << "'" << Name << "' has a frame: it " << Reach.reason(*Call);
        });
  }

  /// Removes memory attributes: with __attribute__((const)) the optimiser could move a call away
  /// from the store of its site.
  static void dropMemoryEffects(CallBase &Call) {
    auto *Callee = calleeOf(Call);
    if (Callee && Callee->isIntrinsic()) return;
    Call.removeFnAttr(Attribute::Memory);
    if (Callee) Callee->removeFnAttr(Attribute::Memory);
  }

  void giveFrame(Function &F) {
    std::string Name = displayName(F);
    FramePlan Plan;
    Plan.Profiled = FunctionRoles.isProfiled(F);
    uint16_t Flags = Plan.Profiled ? GPUMEMPROF_SITE_PROFILED : 0;
    if (const PoolFunction *Pool = FunctionRoles.allocator(F); Pool && !Pool->Allocates)
      Flags |= GPUMEMPROF_SITE_ALLOCATOR;
    SmallVector<Site, 8> Sites{scopeSite(F, Name, Flags, FunctionRoles.budget(F))};
    if (Callees.stays(F) && !F.hasLocalLinkage()) Sites[0].LinkageName = F.getName().str();
    SmallVector<CallBase *, 8> Calls, WithSites = callsWithSites(F);
    SmallVector<SizeValues, 8> Values;
    explain(F, Name, WithSites);
    for (CallBase *Call : WithSites) {
      if (std::optional<EarlyEnd> Early = endsActivation(*Call)) {
        Plan.PopBefore.push_back(std::move(*Early));
        continue;
      }
      Calls.push_back(Call);
      dropMemoryEffects(*Call);
      Values.push_back(sizeValuesOf(*Call));
      Sites.push_back(siteOf(*Call, Name, Values.back()));
      describeCallee(*Call, Sites.back());
    }
    for (BasicBlock &Block : F)
      if (CallInst *Tail = Block.getTerminatingMustTailCall(); Tail && !Reach.needsSite(*Tail))
        Plan.PopBefore.push_back({Tail, {}});
    SmallVector<CallBase *, 8> LineCalls;
    for (unsigned I = 0; I < Calls.size(); ++I)
      if (Sites[I + 1].Flags & GPUMEMPROF_SITE_SPANS) LineCalls.push_back(Calls[I]);
    Plan.HasLineCalls = !LineCalls.empty();
    SmallVector<Constant *, 8> Addresses = Table.add(Sites, &F);
    Plan.Scope = Scopes[&F] = Addresses[0];
    for (unsigned I = 0; I < Calls.size(); ++I)
      Plan.Sites.push_back({Calls[I], Addresses[I + 1], int(I + 1), extendSizeValues(Values[I])});
    Plan.ComesBackAfter = comesBackTo(F);
    for (CallBase *Call : LineCalls)
      if (Instruction *Behind = behindCall(*Call)) Plan.CallEndedBefore.push_back(Behind);
    Plan.OutOfLine = Reach.callsCudaItself(F) || F.hasOptSize() || F.hasOptNone();
    // The function now has other memory effects than the program declared.
    F.removeFnAttr(Attribute::Memory);
    // Every inlined copy has a frame of its own, so inlining has to be worth twice as much.
    F.addFnAttr("function-inline-cost-multiplier", "2");
    FrameInserter(F, ABI).insert(Plan);
  }

  void prepareCoroutine(Function &F) {
    std::string Name = displayName(F);
    markCoroutine(F, Name, FunctionRoles.isProfiled(F), FunctionRoles.budget(F));
    SmallVector<CallBase *, 8> Calls = callsWithSites(F);
    explain(F, Name, Calls);
    SmallVector<Site, 8> Sites;
    SmallVector<SizeValues, 8> Values;
    for (CallBase *Call : Calls) {
      Values.push_back(sizeValuesOf(*Call));
      Sites.push_back(siteOf(*Call, Name, Values.back()));
    }
    SmallVector<Constant *, 8> Addresses = Table.add(Sites);
    for (unsigned I = 0; I < Calls.size(); ++I) {
      markCoroutineCall(*Calls[I], Addresses[I], extendSizeValues(Values[I]));
      bool Spans = Sites[I].Flags & GPUMEMPROF_SITE_SPANS;
      if (Instruction *Behind = Spans ? behindCall(*Calls[I]) : nullptr) markCallEnded(*Behind);
    }
  }

  Module &M;
  PassContext &Context;
  RuntimeABI ABI;
  SiteTable Table;
  Roles FunctionRoles;
  SharedPlaces Shared;
  Reachability Reach;
  LineCalls Lines;
  DenseMap<const Function *, Constant *> Scopes; // the site of each function with a frame
  CalleeFrames Callees;
  Wrappers Allocators;
};

} // namespace

bool wasInstrumented(const Module &M) {
  return M.getNamedMetadata(DoneMarker);
}

PreservedAnalyses InstrumentPass::run(Module &M, ModuleAnalysisManager &) {
  // With both -fplugin and -fpass-plugin, or in an LTO link, a pass has already run.
  if (isDevice(M) || wasInstrumented(M)) return PreservedAnalyses::all();
  M.getOrInsertNamedMetadata(DoneMarker);
  if (!isSupported(M)) {
    std::string Text = "gpumemprof does not know the target " + compat::targetTriple(M).str() +
                       " and does not instrument this file; it supports x86-64 and AArch64 Linux";
    M.getContext().diagnose(DiagnosticInfoInlineAsm(uint64_t(0), Text, DS_Warning));
    return PreservedAnalyses::all();
  }
  Context->UserFilter.SamplesLibraries = Context->Settings.SamplesLibraries;
  bool Changed = nameFilesOfScopes(M, *Context->Facts);
  Changed |= Instrumenter(M, *Context).run();
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses InstrumentCoroutinesPass::run(Module &M, ModuleAnalysisManager &MAM) {
  if (isDevice(M)) return PreservedAnalyses::all();
  // A ThinLTO compilation leaves the splitting to the link, where no plugin runs, so it is done
  // here.
  if (any_of(M, [](const Function &F) { return isMarkedCoroutine(F) && F.isPresplitCoroutine(); }))
    MAM.invalidate(M, createModuleToPostOrderCGSCCPassAdaptor(CoroSplitPass(true)).run(M, MAM));
  RuntimeABI ABI(M, Context->Settings.WeakRuntime);
  return instrumentSplitCoroutines(M, ABI) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

void addPasses(PassBuilder &PB, std::shared_ptr<PassContext> Context) {
  PB.registerPipelineStartEPCallback([Context](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(InstrumentPass(Context));
  });
  compat::atOptimizerLast(
      PB, [Context](ModulePassManager &MPM) { MPM.addPass(InstrumentCoroutinesPass(Context)); });
}

void addDevicePasses(PassBuilder &PB, const Options &Settings) {
  // The facts are those of the program's own accesses, so they come before the marks.
  compat::atOptimizerLast(PB, [Settings](ModulePassManager &MPM) {
    if (Settings.KernelFacts) MPM.addPass(KernelFactsPass());
    if (Settings.Pages) MPM.addPass(MarkPagesPass());
  });
}

} // namespace gpumemprof
