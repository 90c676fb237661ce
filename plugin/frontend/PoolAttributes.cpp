//===- PoolAttributes.cpp - gpumemprof_alloc and gpumemprof_dealloc -------===//
//
// These attributes mark the functions of the program's own allocators. Types are
// examined here, where the parameters are still those of the source; the pass finds
// their values by number (PoolFunction.h). So a structure that is passed by value, which
// may become two values or none, must not come before a parameter that is used.
//
//===----------------------------------------------------------------------===//
#include "base/Compat.h"
#include "facts/PoolFunction.h"
#include "frontend/AttributeParts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace clang;
using namespace gpumemprof;

namespace {

/// The type is one value in the IR, whatever the target.
bool isOneValue(QualType T) {
  if (T->isReferenceType() || T->isAnyPointerType() || T->isNullPtrType()) return true;
  return T->isScalarType() && !T->isMemberPointerType() && !T->isAnyComplexType();
}

bool isAddressInteger(const ASTContext &Context, QualType T) {
  return T->isIntegerType() && !T->isEnumeralType() && Context.getTypeSize(T) == 64;
}

bool isDriverPointer(QualType T) {
  auto *Typedef = T->getAs<TypedefType>();
  return Typedef && Typedef->getDecl()->getName() == "CUdeviceptr";
}

/// A pointer can be stored through the type: T **, T *&, CUdeviceptr *.
bool receivesPointer(QualType T) {
  QualType To = T->isReferenceType() || T->isPointerType() ? T->getPointeeType() : QualType();
  return !To.isNull() && !To.isConstQualified() && (To->isPointerType() || isDriverPointer(To));
}

/// The type is a pointer or begins with one: struct { void *p; ... }, also in bases and members.
bool beginsWithPointer(QualType T) {
  while (const RecordDecl *R = T->getAsRecordDecl()) {
    if (!(R = R->getDefinition()) || R->isUnion()) return false;
    auto *Class = dyn_cast<CXXRecordDecl>(R);
    if (Class && (Class->isDynamicClass() || Class->getNumBases() > 1)) return false;
    if (Class && Class->getNumBases() == 1 && !Class->bases_begin()->getType()->isDependentType() &&
        !Class->bases_begin()->getType()->getAsCXXRecordDecl()->isEmpty())
      T = Class->bases_begin()->getType();
    else if (R->field_empty()) return false;
    else T = (*R->field_begin())->getType();
  }
  return T->isPointerType() || isDriverPointer(T);
}

/// The name of the structure that represents the allocator in C; "" if the type points to none.
/// (Names that end in _st, as those of streams, are none.)
std::string handleName(QualType T) {
  if (!T->isPointerType() && !T->isReferenceType()) return "";
  QualType To = T->getPointeeType();
  std::string Name;
  if (const RecordDecl *R = To->getAsRecordDecl()) Name = R->getQualifiedNameAsString();
  else if (auto *Special = To->getAs<TemplateSpecializationType>())
    if (const TemplateDecl *Template = Special->getTemplateName().getAsTemplateDecl())
      Name = Template->getQualifiedNameAsString();
  return llvm::StringRef(Name).ends_with("_st") ? "" : Name;
}

struct PoolAttribute : ParsedAttrInfo {
  PoolAttribute(ArrayRef<Spelling> Names, bool Allocates) : Allocates(Allocates) {
    Spellings = Names;
    OptArgs = 15; // so that a wrong argument gets our sentence
  }

  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &Attr, const Decl *D) const override {
    if (isa<FunctionDecl>(D)) return true;
    reportError(S, Attr,
                quoted(Attr) + " marks functions only; put it on the allocator's function");
    return false;
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &Attr) const override {
    PoolFunction Found;
    Found.Allocates = Allocates;
    std::string Error = read(S, *cast<FunctionDecl>(D), Attr, Found);
    if (!Error.empty()) {
      reportError(S, Attr, quoted(Attr) + " " + Error);
      return AttributeNotApplied;
    }
    return annotate(S, D, Attr, Found.text());
  }

private:
  static std::string parameter(const FunctionDecl &F, unsigned Number) {
    std::string Name = F.getParamDecl(Number - 1)->getNameAsString();
    return "parameter " + llvm::utostr(Number) + (Name.empty() ? "" : " ('" + Name + "')");
  }

  /// Describes the function in \p P. Returns what is wrong, or "".
  std::string read(Sema &S, const FunctionDecl &F, const ParsedAttr &Attr, PoolFunction &P) const {
    const char *Usage = Allocates ? "takes the number of the parameter with the size, and perhaps "
                                    "that of a count to multiply it by: (1) or (1, 2)"
                                  : "takes the number of the parameter with the pointer: (1)";
    auto *Method = dyn_cast<CXXMethodDecl>(&F);
    if (isa<CXXConstructorDecl, CXXDestructorDecl>(F))
      return "does not fit constructors and destructors; put it on a function that returns the "
             "memory or takes it back";
    P.HasThis = Method && Method->isInstance() && !compat::hasExplicitObject(*Method);
    P.Parameters = F.getNumParams();
    if (Attr.getNumArgs() < 1 || Attr.getNumArgs() > (Allocates ? 2u : 1u)) return Usage;
    unsigned Numbers[2] = {0, 0};
    for (unsigned I = 0; I < Attr.getNumArgs(); ++I) {
      std::string Error = readNumber(S, F, Attr, I, Usage, Numbers[I]);
      if (!Error.empty()) return Error;
    }
    unsigned Last = std::max(Numbers[0], Numbers[1]);
    if (Allocates) {
      P.Size = Numbers[0];
      P.Count = Numbers[1];
      for (unsigned Number : {P.Size, P.Count}) {
        QualType T = Number ? F.getParamDecl(Number - 1)->getType() : QualType();
        if (Number && !T->isDependentType() && !T->isIntegralOrEnumerationType())
          return "wants a size: " + parameter(F, Number) + " is no integer";
      }
      std::string Error = readResult(S.Context, F, P);
      if (!Error.empty()) return Error;
      Last = std::max(Last, P.Pointer);
    } else {
      P.Pointer = Numbers[0];
      QualType T = F.getParamDecl(P.Pointer - 1)->getType();
      if (!T->isDependentType() && !T->isPointerType() && !isAddressInteger(S.Context, T))
        return "wants what is freed: " + parameter(F, P.Pointer) + " is no pointer";
    }
    for (unsigned Number = 1; Number <= Last; ++Number) {
      QualType T = F.getParamDecl(Number - 1)->getType();
      if (T->isDependentType() && !isOneValue(T)) P.Dependent = true;
      else if (!isOneValue(T))
        return "cannot count past " + parameter(F, Number) +
               ", a structure by value; put that behind the others or pass it by reference";
    }
    if (!P.HasThis && F.getNumParams() && P.Pointer != 1)
      P.Name = handleName(F.getParamDecl(0)->getType());
    P.HasHandle = !P.Name.empty();
    P.IsStaticMember = Method && !P.HasThis;
    return "";
  }

  static std::string readNumber(Sema &S, const FunctionDecl &F, const ParsedAttr &Attr, unsigned I,
                                const char *Usage, unsigned &Number) {
    if (!Attr.isArgExpr(I)) return Usage;
    const Expr *E = Attr.getArgAsExpr(I);
    if (E->isTypeDependent() || E->isValueDependent()) return Usage;
    auto Value = E->getIntegerConstantExpr(S.Context);
    if (!Value) return Usage;
    if (*Value < 1 || *Value > F.getNumParams())
      return "has no parameter " + llvm::toString(*Value, 10) + " to look at: the function has " +
             llvm::utostr(F.getNumParams()) + ", counted from 1 ('this' is not counted)";
    Number = unsigned(Value->getZExtValue());
    return "";
  }

  /// Finds out how the function returns the memory. Returns what is wrong, or "".
  static std::string readResult(ASTContext &Context, const FunctionDecl &F, PoolFunction &P) {
    QualType Result = F.getReturnType();
    if (Result->isUndeducedType())
      return "wants to know what the function returns; write its type instead of auto";
    bool Returned = Result->isPointerType() || Result->isReferenceType() ||
                    Result->isDependentType() || isDriverPointer(Result) ||
                    isAddressInteger(Context, Result) || beginsWithPointer(Result);
    if (Returned) return "";
    for (unsigned I = 0; I < F.getNumParams() && !P.Pointer; ++I)
      if (receivesPointer(F.getParamDecl(I)->getType())) P.Pointer = I + 1;
    bool Status = Result->isVoidType() || Result->isIntegralOrEnumerationType();
    if (!P.Pointer || !Status)
      return "finds no pointer: the function returns none, and none of its parameters points to "
             "one that it could leave there";
    P.Status = Result->isVoidType()      ? PoolFunction::NoStatus
               : Result->isBooleanType() ? PoolFunction::NonzeroIsGood
                                         : PoolFunction::ZeroIsGood;
    return "";
  }

  const bool Allocates;
};

constexpr ParsedAttrInfo::Spelling AllocNames[] = {{ParsedAttr::AS_GNU, "gpumemprof_alloc"},
                                                   {ParsedAttr::AS_CXX11, "gpumemprof_alloc"},
                                                   {ParsedAttr::AS_C23, "gpumemprof_alloc"}};

constexpr ParsedAttrInfo::Spelling DeallocNames[] = {{ParsedAttr::AS_GNU, "gpumemprof_dealloc"},
                                                     {ParsedAttr::AS_CXX11, "gpumemprof_dealloc"},
                                                     {ParsedAttr::AS_C23, "gpumemprof_dealloc"}};

struct AllocAttribute final : PoolAttribute {
  AllocAttribute() : PoolAttribute(AllocNames, true) {}
};

struct DeallocAttribute final : PoolAttribute {
  DeallocAttribute() : PoolAttribute(DeallocNames, false) {}
};

} // namespace

static ParsedAttrInfoRegistry::Add<AllocAttribute>
    Alloc("gpumemprof_alloc", "a function of the program's own allocator that returns memory");
static ParsedAttrInfoRegistry::Add<DeallocAttribute>
    Dealloc("gpumemprof_dealloc", "a function of the program's own allocator that frees memory");
