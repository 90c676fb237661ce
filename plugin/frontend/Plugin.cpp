//===- Plugin.cpp - one flag: -fplugin=gpumemprof.so ----------------------===//
//
// Runs before the main action of a compilation. It reads the options, lets CodeGen
// write line numbers, adds the passes to the pipeline, and collects from the AST what
// they will ask. In a device compilation it only adds the passes for device code.
//
//===----------------------------------------------------------------------===//
#include "base/Compat.h"
#include "base/CompatPipeline.h"
#include "device/KernelFacts.h"
#include "frontend/AllocationText.h"
#include "frontend/KernelWords.h"
#include "frontend/SourceFiles.h"
#include "passes/Pass.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Attr.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;
using namespace llvm;

namespace {

void report(CompilerInstance &CI, const std::string &Text,
            DiagnosticsEngine::Level Level = DiagnosticsEngine::Error) {
  DiagnosticsEngine &Diags = CI.getDiagnostics();
  unsigned Id = Level == DiagnosticsEngine::Error
                    ? Diags.getCustomDiagID(DiagnosticsEngine::Error, "%0")
                    : Diags.getCustomDiagID(DiagnosticsEngine::Warning, "%0");
  Diags.Report(Id) << Text;
}

bool isDevice(const LangOptions &Lang) {
  return Lang.CUDAIsDevice || Lang.OpenMPIsTargetDevice || Lang.SYCLIsDevice;
}

/// Collects the user's declarations while they are parsed; the walk is done once at the end.
class Consumer final : public ASTConsumer {
public:
  Consumer(CompilerInstance &CI, gpumemprof::SourceFiles &Files) : CI(CI), Files(Files) {}

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    SourceManager &SM = CI.getSourceManager();
    for (Decl *D : Group)
      if (!SM.isInSystemHeader(D->getLocation())) Declarations.push_back(D);
      else if (auto *F = dyn_cast<FunctionDecl>(D); F && F->isTemplateInstantiation())
        HeaderInstances.push_back(F);
    return true;
  }

  void HandleTranslationUnit(ASTContext &Context) override {
    if (CI.getDiagnostics().hasErrorOccurred()) return;
    gpumemprof::collectAllocations(Context, Declarations, Files);
    for (const FunctionDecl *F : HeaderInstances) gpumemprof::collectKernel(*F, Context, Files);
  }

private:
  CompilerInstance &CI;
  gpumemprof::SourceFiles &Files;
  std::vector<Decl *> Declarations;
  std::vector<const FunctionDecl *> HeaderInstances; // of templates: kernels of Thrust are some
};

class Action final : public PluginASTAction {
public:
  bool ParseArgs(const CompilerInstance &CI, const std::vector<std::string> &Arguments) override {
    bool Good = true;
    for (const std::string &Argument : Arguments) {
      std::string Error = Context->Settings.parse(Argument);
      if (Error.empty()) continue;
      report(const_cast<CompilerInstance &>(CI), Error);
      Good = false;
    }
    return Good;
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI, StringRef) override {
    if (isDevice(CI.getLangOpts())) {
      if (CI.getLangOpts().CUDAIsDevice) addDevicePasses(CI);
      return std::make_unique<ASTConsumer>();
    }
    if (!loadFilter(CI)) return std::make_unique<ASTConsumer>();
    CodeGenOptions &CodeGen = CI.getCodeGenOpts();
    if (CodeGen.getDebugInfo() == codegenoptions::NoDebugInfo) {
      if (!gpumemprof::compat::ClangWritesLines)
        report(CI,
               "this version of clang gives the plugin of gpumemprof no lines; compile with "
               "-gline-tables-only or -g",
               DiagnosticsEngine::Warning);
      CodeGen.setDebugInfo(codegenoptions::LocTrackingOnly);
      // With each level of a template over pairs of itself, names with template arguments double
      // in length, and the plugin does not use them.
      CodeGen.setDebugSimpleTemplateNames(llvm::codegenoptions::DebugTemplateNamesKind::Simple);
    }
    if (Preprocessor &P = CI.getPreprocessor(); !gpumemprof::compat::HasAttributeKnowsPlugins)
      P.setPredefines(P.getPredefines() + "\n#define __GPUMEMPROF_ATTRIBUTES__ 1\n");
    auto Files = std::make_unique<gpumemprof::SourceFiles>(CI);
    auto Result = std::make_unique<Consumer>(CI, *Files);
    Context->Facts = std::move(Files);
    // -save-temps and -disable-llvm-passes build no pipeline; the writer is then the only pass.
    bool NoPipeline = CodeGen.DisableLLVMPasses;
    Context->CoroutinesWillBeSplit = !NoPipeline;
    gpumemprof::compat::atPipeline(CodeGen, [Context = Context, NoPipeline](PassBuilder &PB) {
      if (NoPipeline) runBeforeWriter(PB, gpumemprof::InstrumentPass(Context));
      else gpumemprof::addPasses(PB, Context);
    });
    return Result;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

private:
  template <typename Pass> static void runBeforeWriter(PassBuilder &PB, Pass P) {
    PassInstrumentationCallbacks *Callbacks = PB.getPassInstrumentationCallbacks();
    if (!Callbacks) return;
    Callbacks->registerBeforeNonSkippedPassCallback([P](StringRef Name, Any IR) mutable {
      auto *M = any_cast<const llvm::Module *>(&IR);
      if (!M || !(Name.contains("BitcodeWriter") || Name.contains("PrintModule"))) return;
      ModuleAnalysisManager Analyses;
      P.run(const_cast<llvm::Module &>(**M), Analyses);
    });
  }

  /// With -save-temps no pipeline is built, and kernels are read as clang wrote them.
  void addDevicePasses(CompilerInstance &CI) {
    if (!gpumemprof::compat::ReadsDeviceCode) {
      if (Context->Settings.Pages)
        report(CI, "uses=pages of gpumemprof needs a newer clang for the device code");
      return;
    }
    CodeGenOptions &CodeGen = CI.getCodeGenOpts();
    bool NoPipeline = CodeGen.DisableLLVMPasses;
    gpumemprof::compat::atPipeline(CodeGen,
                                   [Settings = Context->Settings, NoPipeline](PassBuilder &PB) {
                                     if (!NoPipeline) gpumemprof::addDevicePasses(PB, Settings);
                                     else if (Settings.KernelFacts)
                                       runBeforeWriter(PB, gpumemprof::KernelFactsPass());
                                   });
  }

  /// Reads the filter file and makes it a dependency of the object, as an included header is.
  bool loadFilter(CompilerInstance &CI) {
    const std::string &Path = Context->Settings.FilterFile;
    if (Path.empty()) return true;
    std::string Error = Context->UserFilter.load(Path, CI.getFileManager().getVirtualFileSystem());
    if (!Error.empty()) {
      report(CI, Error);
      return false;
    }
    if (OptionalFileEntryRef File = CI.getFileManager().getOptionalFileRef(Path))
      if (PPCallbacks *Callbacks = CI.getPreprocessor().getPPCallbacks())
        Callbacks->HasInclude(SourceLocation(), Path, false, *File, SrcMgr::C_User);
    return true;
  }

  std::shared_ptr<gpumemprof::PassContext> Context = std::make_shared<gpumemprof::PassContext>();
};

} // namespace

static FrontendPluginRegistry::Add<Action> Registered("gpumemprof",
                                                      "profile GPU memory per source line");
