//===- PassPlugin.cpp - the passes for opt, lld and -fpass-plugin ---------===//
//
// opt -load-pass-plugin gpumemprof-pass.so -passes='gpumemprof<mode=every>'
// runs the first pass, 'gpumemprof-coroutines' the second; -passes='default<O2>' runs
// both where they belong. Without a front end no names of variables are known.
// 'gpumemprof-pages' is for device code (PageMarks.h). 'gpumemprof-harmless' prints a filter file
// (WholeProgram.h).
//
//===----------------------------------------------------------------------===//
#include "base/CompatPipeline.h"
#include "device/PageMarks.h"
#include "passes/Pass.h"
#include "passes/WholeProgram.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

bool parsePass(StringRef Text, ModulePassManager &MPM) {
  auto Context = std::make_shared<gpumemprof::PassContext>();
  if (Text == "gpumemprof-coroutines") {
    MPM.addPass(gpumemprof::InstrumentCoroutinesPass(Context));
    return true;
  }
  if (Text == "gpumemprof-pages") {
    MPM.addPass(gpumemprof::MarkPagesPass());
    return true;
  }
  if (!Text.consume_front("gpumemprof")) return false;
  bool List = Text.consume_front("-harmless");
  if (!Text.empty() && !(Text.consume_front("<") && Text.consume_back(">"))) return false;
  SmallVector<StringRef, 4> Arguments;
  Text.split(Arguments, ';', -1, /*KeepEmpty=*/false);
  for (StringRef Argument : Arguments) {
    std::string Error = Context->Settings.parse(Argument);
    if (!Error.empty()) {
      errs() << "error: " << Error << '\n';
      return false;
    }
  }
  if (!Context->Settings.FilterFile.empty()) {
    std::string Error = Context->UserFilter.load(Context->Settings.FilterFile);
    if (!Error.empty()) {
      errs() << "error: " << Error << '\n';
      return false;
    }
  }
  if (List) MPM.addPass(gpumemprof::ListHarmlessPass(Context));
  else MPM.addPass(gpumemprof::InstrumentPass(Context));
  return true;
}

void registerPasses(PassBuilder &PB) {
  if (gpumemprof::compat::addLeftByFrontEnd(PB)) return;
  PB.registerPipelineParsingCallback(
      [](StringRef Text, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        return parsePass(Text, MPM);
      });
  gpumemprof::addPasses(PB, std::make_shared<gpumemprof::PassContext>());
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "gpumemprof", GPUMEMPROF_VERSION, registerPasses};
}
