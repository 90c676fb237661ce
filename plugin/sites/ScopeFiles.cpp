//===- ScopeFiles.cpp - replaces __FILE__ by the path of sites ------------===//
#include "sites/ScopeFiles.h"

#include "facts/SourceFacts.h"
#include "names/NameKinds.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gpumemprof {
namespace {

constexpr unsigned FileOfBlock = 4; // struct gpumemprof_block_site

/// The number of the argument that is the file, for a function of our headers; else -1.
int fileArgument(StringRef Function) {
  if (headerName(Function) == "gpumemprof_scope_open") return 1;
  // gpumemprof::scope's constructor: this, name, device, asked, file
  if (Function.starts_with("_ZN10gpumemprof5scopeC")) return 4;
  return -1;
}

class Renamer {
public:
  Renamer(Module &M, SourceFacts &Facts) : M(M), Facts(Facts) {}

  bool run() {
    bool Any = false;
    for (Function &F : M) {
      if (headerName(F.getName()) == "gpumemprof_scope_open_")
        for (User *U : F.users()) Any |= renameBlock(dyn_cast<CallBase>(U));
      else if (int File = fileArgument(F.getName()); File >= 0)
        for (User *U : F.users()) Any |= renameArgument(dyn_cast<CallBase>(U), unsigned(File));
    }
    return Any;
  }

private:
  /// The path as a text of the module; null where the text is the path already or names no file.
  Constant *pathFor(const Value *Written) {
    auto *Text = dyn_cast<GlobalVariable>(Written->stripPointerCasts());
    if (!Text || !Text->isConstant() || !Text->hasDefinitiveInitializer()) return nullptr;
    auto *Data = dyn_cast<ConstantDataSequential>(Text->getInitializer());
    if (!Data || !Data->isCString()) return nullptr;
    std::string Path = Facts.pathOfFile(Data->getAsCString());
    if (Path.empty() || Path == Data->getAsCString()) return nullptr;
    GlobalVariable *&Known = Paths[Path];
    if (!Known) {
      Constant *Content = ConstantDataArray::getString(M.getContext(), Path);
      Known = new GlobalVariable(M, Content->getType(), true, GlobalValue::PrivateLinkage, Content,
                                 "gpumemprof.file");
      Known->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
      Known->setAlignment(Align(1));
    }
    return Known;
  }

  bool renameBlock(CallBase *Call) {
    if (!Call || Call->arg_empty()) return false;
    auto *Site = dyn_cast<GlobalVariable>(Call->getArgOperand(0)->stripPointerCasts());
    auto *Record =
        Site && Site->hasInitializer() ? dyn_cast<ConstantStruct>(Site->getInitializer()) : nullptr;
    if (!Record || Record->getNumOperands() <= FileOfBlock) return false;
    Constant *Path = pathFor(Record->getOperand(FileOfBlock));
    if (!Path) return false;
    SmallVector<Constant *, 8> Fields;
    for (Use &Field : Record->operands()) Fields.push_back(cast<Constant>(Field));
    Fields[FileOfBlock] = Path;
    Site->setInitializer(ConstantStruct::get(Record->getType(), Fields));
    return true;
  }

  bool renameArgument(CallBase *Call, unsigned File) {
    if (!Call || !Call->getCalledFunction() || Call->arg_size() <= File) return false;
    Constant *Path = pathFor(Call->getArgOperand(File));
    if (Path) Call->setArgOperand(File, Path);
    return Path;
  }

  Module &M;
  SourceFacts &Facts;
  StringMap<GlobalVariable *> Paths;
};

} // namespace

bool nameFilesOfScopes(Module &M, SourceFacts &Facts) {
  return Renamer(M, Facts).run();
}

} // namespace gpumemprof
