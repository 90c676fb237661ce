//===- SiteTable.cpp - lay out sites and their strings --------------------===//
#include "SiteTable.h"

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

Constant *distance(Constant *To, Constant *Field) {
  LLVMContext &Ctx = To->getContext();
  Type *I64 = Type::getInt64Ty(Ctx);
  Constant *Bytes = ConstantExpr::getSub(ConstantExpr::getPtrToInt(To, I64),
                                         ConstantExpr::getPtrToInt(Field, I64));
  return ConstantExpr::getTrunc(Bytes, Type::getInt32Ty(Ctx));
}

GlobalVariable *SiteTable::string(StringRef Text) {
  GlobalVariable *&Known = Strings[Text];
  if (Known) return Known;
  Constant *Data = ConstantDataArray::getString(M.getContext(), Text);
  Known = new GlobalVariable(M, Data->getType(), true, GlobalValue::PrivateLinkage, Data,
                             "gpumemprof.text");
  Known->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  Known->setAlignment(Align(1));
  keepSanitizersOut(*Known);
  return Known;
}

static StructType *layout(LLVMContext &Ctx) {
  Type *I16 = Type::getInt16Ty(Ctx), *I32 = Type::getInt32Ty(Ctx);
  return StructType::get(Ctx, {I16, I16, I32, I32, I32, I32, I32, I32, I32, I32, I32, I32, I32});
}

/// The content of entry \p Index of \p Table. A field is addressed by its bytes: finding the
/// constant of a path through the struct costs a file of small functions a tenth of its compile
/// time at -O0.
Constant *SiteTable::content(const Site &S, GlobalVariable &Table, unsigned Index) {
  using Entry = gpumemprof_site;
  LLVMContext &Ctx = M.getContext();
  Type *I8 = Type::getInt8Ty(Ctx), *I16 = Type::getInt16Ty(Ctx), *I32 = Type::getInt32Ty(Ctx),
       *I64 = Type::getInt64Ty(Ctx);
  auto Number = [&](unsigned N) { return ConstantInt::get(I32, N); };
  auto DistanceTo = [&](Constant *To, size_t Field) {
    Constant *Offset = ConstantInt::get(I64, Index * sizeof(Entry) + Field);
    return distance(To, ConstantExpr::getInBoundsGetElementPtr(I8, &Table, Offset));
  };
  auto Text = [&](StringRef Text, size_t Field) -> Constant * {
    return Text.empty() ? Number(0) : DistanceTo(string(Text), Field);
  };
  Constant *Link = S.Enters ? DistanceTo(scopeOf(*S.Enters), offsetof(Entry, link))
                            : Text(S.LinkageName, offsetof(Entry, link));
  return ConstantStruct::get(
      layout(Ctx), ConstantInt::get(I16, S.Kind), ConstantInt::get(I16, S.Flags), Number(S.Line),
      Number(S.Column), Text(S.File, offsetof(Entry, file)),
      Text(S.Function, offsetof(Entry, function)), Text(S.Callee, offsetof(Entry, callee)),
      Text(S.Variable, offsetof(Entry, variable)), Text(S.Type, offsetof(Entry, type)),
      Text(S.SizeExpr, offsetof(Entry, size_expr)), Link,
      Text(S.SourceLine, offsetof(Entry, source_line)),
      S.Operands ? DistanceTo(operands(S), offsetof(Entry, operands)) : Number(0));
}

/// The scope is the first of the function's sites.
GlobalVariable *SiteTable::scopeOf(const Function &F) {
  GlobalVariable *&Known = Scopes[&F];
  if (!Known)
    Known = new GlobalVariable(M, Type::getInt8Ty(M.getContext()), true,
                               GlobalValue::ExternalLinkage, nullptr, "gpumemprof.later");
  return Known;
}

SmallVector<Constant *, 8> SiteTable::add(ArrayRef<Site> Sites, const Function *Of) {
  LLVMContext &Ctx = M.getContext();
  ArrayType *Layout = ArrayType::get(layout(Ctx), Sites.size());
  auto *G =
      new GlobalVariable(M, Layout, true, GlobalValue::PrivateLinkage, nullptr, "gpumemprof.sites");
  SmallVector<Constant *, 8> Contents, Addresses;
  Type *I32 = Type::getInt32Ty(Ctx);
  for (unsigned I = 0; I < Sites.size(); ++I) {
    Contents.push_back(content(Sites[I], *G, I));
    Addresses.push_back(ConstantExpr::getInBoundsGetElementPtr(
        Layout, G, ArrayRef<Constant *>{ConstantInt::get(I32, 0), ConstantInt::get(I32, I)}));
  }
  G->setInitializer(ConstantArray::get(Layout, Contents));
  G->setSection(SiteSection);
  G->setAlignment(Align(8));
  // In no COMDAT: code the function is inlined into refers to its sites too, and the linker may
  // drop this object's copy of the function's group.
  keepSanitizersOut(*G);
  if (Of) {
    GlobalVariable *&Known = Scopes[Of];
    if (Known) {
      Known->replaceAllUsesWith(G);
      Known->eraseFromParent();
    }
    Known = G;
  }
  return Addresses;
}

/// struct gpumemprof_operands
GlobalVariable *SiteTable::operands(const Site &S) {
  LLVMContext &Ctx = M.getContext();
  Type *I8 = Type::getInt8Ty(Ctx), *I16 = Type::getInt16Ty(Ctx), *I32 = Type::getInt32Ty(Ctx),
       *I64 = Type::getInt64Ty(Ctx);
  auto *Values = ArrayType::get(I64, GPUMEMPROF_OPERANDS);
  auto *Pointer = PointerType::getUnqual(Ctx);
  StructType *Layout = StructType::get(Ctx, {Values, I32, I8, I8, I16, I32, I32, Pointer, I64});
  auto *G = new GlobalVariable(M, Layout, false, GlobalValue::PrivateLinkage, nullptr,
                               "gpumemprof.operands");
  Constant *Names = ConstantExpr::getInBoundsGetElementPtr(
      Layout, G, ArrayRef<Constant *>{ConstantInt::get(I32, 0), ConstantInt::get(I32, 5)});
  G->setInitializer(ConstantStruct::get(
      Layout, Constant::getNullValue(Values), ConstantInt::get(I32, 0),
      ConstantInt::get(I8, S.Operands), ConstantInt::get(I8, S.SignedOperands),
      ConstantInt::get(I16, 0), distance(string(S.OperandNames), Names), ConstantInt::get(I32, 0),
      Constant::getNullValue(Pointer), ConstantInt::get(I64, 0)));
  G->setAlignment(Align(64));
  keepSanitizersOut(*G);
  return G;
}

} // namespace gpumemprof
