//===- SiteTable.cpp - lays out sites and their strings -------------------===//
#include "sites/SiteTable.h"

#include "base/Compat.h"

#include "gpumemprof/hooks.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

#include <cstddef>

using namespace llvm;

namespace gpumemprof {

void keepSanitizersOut(GlobalVariable &G) {
  GlobalValue::SanitizerMetadata Metadata;
  Metadata.NoAddress = true;
  Metadata.NoHWAddress = true;
  G.setSanitizerMetadata(Metadata);
}

static StructType *layout(LLVMContext &Ctx) {
  Type *I16 = Type::getInt16Ty(Ctx), *I32 = Type::getInt32Ty(Ctx);
  return StructType::get(Ctx, {I16, I16, I32, I32, I32, I32, I32, I32, I32, I32, I32, I32, I32});
}

SiteTable::SiteTable(Module &M) : M(M), Entry(layout(M.getContext())) {}

Constant *distance(Constant *To, Constant *Table, size_t At) {
  LLVMContext &Ctx = To->getContext();
  Type *I64 = Type::getInt64Ty(Ctx);
  Constant *Bytes = ConstantExpr::getSub(ConstantExpr::getPtrToInt(To, I64),
                                         ConstantExpr::getPtrToInt(Table, I64));
  Constant *Less = ConstantInt::getSigned(I64, -int64_t(At));
  return ConstantExpr::getTrunc(ConstantExpr::getAdd(Bytes, Less), Type::getInt32Ty(Ctx));
}

/// A placeholder for a variable that will be made later.
static GlobalVariable *placeholder(Module &M) {
  return new GlobalVariable(M, Type::getInt8Ty(M.getContext()), true, GlobalValue::ExternalLinkage,
                            nullptr, "gpumemprof.later");
}

static void replacePlaceholder(GlobalVariable *Placeholder, GlobalVariable *Made) {
  Placeholder->replaceAllUsesWith(Made);
  Placeholder->eraseFromParent();
}

SiteTable::Referring SiteTable::referring(Constant *Table, size_t Size) {
  if (!Texts) Texts = placeholder(M);
  return {Table, Size, distance(Texts, Table, Size)};
}

/// LLVM treats a 32-bit number that is added to an address as unsigned, so the distance is counted
/// from the end of the table.
Constant *SiteTable::distanceToText(StringRef Text, const Referring &From, size_t At) {
  return ConstantExpr::getAdd(From.TextsFromEnd, ConstantInt::get(From.TextsFromEnd->getType(),
                                                                  From.Size - At + offsetOf(Text)));
}

size_t SiteTable::offsetOf(StringRef Text) {
  auto [Known, New] = Offsets.try_emplace(Text, AllTexts.size());
  if (New) {
    AllTexts += Text;
    AllTexts += '\0';
  }
  return Known->second;
}

/// The texts are one array. Its type has the length in it, so it is made when all texts are known.
SiteTable::~SiteTable() {
  if (!Texts) return;
  Constant *Data = ConstantDataArray::getString(M.getContext(), AllTexts, false);
  auto *G = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data,
                               "gpumemprof.texts");
  G->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  G->setAlignment(Align(1));
  compat::keepNear(*G); // however many they are
  keepSanitizersOut(*G);
  replacePlaceholder(Texts, G);
}

/// The content of the site at the byte \p At of a table.
Constant *SiteTable::content(const Site &S, const Referring &From, size_t At) {
  LLVMContext &Ctx = M.getContext();
  Type *I16 = Type::getInt16Ty(Ctx), *I32 = Type::getInt32Ty(Ctx);
  auto Number = [&](unsigned N) { return ConstantInt::get(I32, N); };
  auto DistanceTo = [&](Constant *To, size_t Field) {
    return distance(To, From.Table, At + Field);
  };
  auto Text = [&](StringRef Text, size_t Field) -> Constant * {
    return Text.empty() ? Number(0) : distanceToText(Text, From, At + Field);
  };
  auto Link = [&](size_t Field) {
    return S.Enters ? DistanceTo(scopeOf(*S.Enters), Field) : Text(S.LinkageName, Field);
  };
  Constant *Fields[] = {ConstantInt::get(I16, S.Kind),
                        ConstantInt::get(I16, S.Flags),
                        Number(S.Line),
                        Number(S.Column),
                        Text(S.File, offsetof(gpumemprof_site, file)),
                        Text(S.Function, offsetof(gpumemprof_site, function)),
                        Text(S.Callee, offsetof(gpumemprof_site, callee)),
                        Text(S.Variable, offsetof(gpumemprof_site, variable)),
                        Text(S.Type, offsetof(gpumemprof_site, type)),
                        Text(S.SizeExpr, offsetof(gpumemprof_site, size_expr)),
                        Link(offsetof(gpumemprof_site, link)),
                        Text(S.SourceLine, offsetof(gpumemprof_site, source_line)),
                        S.Operands ? DistanceTo(operands(S), offsetof(gpumemprof_site, operands))
                                   : Number(0)};
  return ConstantStruct::get(Entry, Fields);
}

/// The scope is the first of the function's sites.
GlobalVariable *SiteTable::scopeOf(const Function &F) {
  GlobalVariable *&Known = Scopes[&F];
  if (!Known) Known = placeholder(M);
  return Known;
}

SmallVector<Constant *, 8> SiteTable::add(ArrayRef<Site> Sites, const Function *Of) {
  LLVMContext &Ctx = M.getContext();
  Type *I8 = Type::getInt8Ty(Ctx), *I64 = Type::getInt64Ty(Ctx);
  ArrayType *Layout = ArrayType::get(Entry, Sites.size());
  auto *G =
      new GlobalVariable(M, Layout, true, GlobalValue::PrivateLinkage, nullptr, "gpumemprof.sites");
  size_t Size = Sites.size() * sizeof(gpumemprof_site);
  Referring From = referring(G, Size);
  SmallVector<Constant *, 8> Contents, Addresses;
  for (size_t At = 0; At < Size; At += sizeof(gpumemprof_site)) {
    Contents.push_back(content(Sites[Contents.size()], From, At));
    Addresses.push_back(ConstantExpr::getInBoundsGetElementPtr(I8, G, ConstantInt::get(I64, At)));
  }
  G->setInitializer(ConstantArray::get(Layout, Contents));
  G->setSection(SiteSection);
  G->setAlignment(Align(8));
  // The sites are in no COMDAT: code into which the function is inlined refers to them too, and the
  // linker may drop this object's copy of the function's group.
  keepSanitizersOut(*G);
  if (Of) {
    GlobalVariable *&Known = Scopes[Of];
    if (Known) replacePlaceholder(Known, G);
    Known = G;
  }
  return Addresses;
}

/// The variable of type struct gpumemprof_operands that the site refers to.
GlobalVariable *SiteTable::operands(const Site &S) {
  LLVMContext &Ctx = M.getContext();
  Type *I8 = Type::getInt8Ty(Ctx), *I16 = Type::getInt16Ty(Ctx), *I32 = Type::getInt32Ty(Ctx),
       *I64 = Type::getInt64Ty(Ctx);
  auto *Values = ArrayType::get(I64, GPUMEMPROF_OPERANDS);
  auto *Pointer = PointerType::getUnqual(Ctx);
  StructType *Layout = StructType::get(Ctx, {Values, I32, I8, I8, I16, I32, I32, Pointer, I64});
  auto *G = new GlobalVariable(M, Layout, false, GlobalValue::PrivateLinkage, nullptr,
                               "gpumemprof.operands");
  Constant *Names = distanceToText(S.OperandNames, referring(G, sizeof(gpumemprof_operands)),
                                   offsetof(gpumemprof_operands, names));
  G->setInitializer(ConstantStruct::get(Layout, Constant::getNullValue(Values),
                                        ConstantInt::get(I32, 0), ConstantInt::get(I8, S.Operands),
                                        ConstantInt::get(I8, S.SignedOperands),
                                        ConstantInt::get(I16, 0), Names, ConstantInt::get(I32, 0),
                                        Constant::getNullValue(Pointer), ConstantInt::get(I64, 0)));
  G->setAlignment(Align(64));
  keepSanitizersOut(*G);
  return G;
}

} // namespace gpumemprof
