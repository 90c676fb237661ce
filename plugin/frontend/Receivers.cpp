//===- Receivers.cpp -------------------------------------------------------===//
#include "frontend/Receivers.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace llvm;

namespace gpumemprof {

namespace {

bool isDevicePointer(QualType Type) {
  auto *Typedef = Type->getAs<TypedefType>();
  return Typedef && Typedef->getDecl()->getName() == "CUdeviceptr";
}

/// Of `&x`: x. Else null.
const Expr *addressed(const Expr &E) {
  auto *Operator = dyn_cast<clang::UnaryOperator>(E.IgnoreParenCasts());
  bool Address = Operator && Operator->getOpcode() == UO_AddrOf;
  return Address ? Operator->getSubExpr()->IgnoreParens() : nullptr;
}

bool isVariable(const Expr &E) {
  return isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr>(E.IgnoreParenCasts());
}

/// What the parameter refers to if the call may change it; a null type otherwise.
QualType changeable(const ParmVarDecl *Parameter) {
  if (!Parameter || !Parameter->getType()->isLValueReferenceType()) return {};
  QualType Type = Parameter->getType()->getPointeeType();
  return Type.isConstQualified() ? QualType() : Type;
}

struct CallArgument {
  const Expr *Value;
  const ParmVarDecl *Parameter; // null: not known
};

/// Without the object of an operator.
SmallVector<CallArgument, 8> argumentsOf(const Expr &Call) {
  SmallVector<CallArgument, 8> Result;
  const FunctionDecl *Callee = nullptr;
  auto Add = [&](ArrayRef<const Expr *> Values) {
    for (const Expr *E : Values) {
      unsigned I = Result.size();
      bool Known = Callee && I < Callee->getNumParams();
      Result.push_back({E, Known ? Callee->getParamDecl(I) : nullptr});
    }
  };
  if (auto *Construction = dyn_cast<CXXConstructExpr>(&Call)) {
    Callee = Construction->getConstructor();
    Add({Construction->getArgs(), Construction->getNumArgs()});
  } else if (auto *Function = dyn_cast<CallExpr>(&Call)) {
    Callee = Function->getDirectCallee();
    unsigned First = isa<CXXOperatorCallExpr>(Call) && isa_and_nonnull<CXXMethodDecl>(Callee);
    if (First <= Function->getNumArgs())
      Add({Function->getArgs() + First, Function->getNumArgs() - First});
  }
  return Result;
}

/// The object of which the call is a method or an assignment, or null.
const Expr *objectOf(const Expr &Call) {
  const Expr *Object = nullptr;
  if (auto *Method = dyn_cast<CXXMemberCallExpr>(&Call))
    Object = Method->getImplicitObjectArgument();
  else if (auto *Operator = dyn_cast<CXXOperatorCallExpr>(&Call))
    if (Operator->getOperator() == OO_Equal) Object = Operator->getArg(0);
  return Object && !Object->isImplicitCXXThis() ? Object : nullptr;
}

/// The memory may leave by the result.
bool returnsMemory(const Expr &Call) {
  auto *Function = dyn_cast<CallExpr>(&Call);
  const FunctionDecl *Callee = Function ? Function->getDirectCallee() : nullptr;
  QualType Type = Callee ? Callee->getReturnType() : Call.getType();
  return isa<CallExpr>(Call) && (Type->isPointerType() || Type->isRecordType());
}

} // namespace

Holds holdsMemory(QualType Type, const ASTContext &Context) {
  if (Type->isDependentType()) return Holds::Maybe;
  if (Type->isPointerType()) {
    QualType To = Type->getPointeeType();
    return To.isConstQualified() && To->isCharType() ? Holds::No : Holds::Yes;
  }
  bool Number = Type->isIntegerType() && !Type->isEnumeralType() &&
                Context.getTypeSize(Type) == Context.getTypeSize(Context.VoidPtrTy);
  return Number || Type->isRecordType() ? Holds::Maybe : Holds::No;
}

const Expr *pointerArgument(const Expr &Call, bool &Address) {
  const Expr *Only = nullptr;
  for (const CallArgument &A : argumentsOf(Call)) {
    const Expr *Of = addressed(*A.Value);
    bool Set = Of && (Of->getType()->isPointerType() || isDevicePointer(Of->getType()));
    QualType Changed = changeable(A.Parameter);
    bool Referred = !Of && !Changed.isNull() && isVariable(*A.Value) &&
                    (Changed->isPointerType() || isDevicePointer(Changed));
    if (!Set && !Referred) continue;
    if (Only) return nullptr;
    Only = A.Value;
    Address = Set;
  }
  return Only;
}

const Expr *changedObject(const Expr &Call) {
  if (returnsMemory(Call)) return nullptr;
  if (const Expr *Object = objectOf(Call)) return Object;
  if (isa<CXXConstructExpr, CXXOperatorCallExpr>(Call)) return nullptr;
  const Expr *Only = nullptr;
  for (const CallArgument &A : argumentsOf(Call)) {
    const Expr *Of = addressed(*A.Value);
    QualType Changed = changeable(A.Parameter);
    bool Referred = !Changed.isNull() && Changed->isRecordType() && isVariable(*A.Value);
    if (!Referred && (!Of || !Of->getType()->isRecordType())) continue;
    if (Only) return nullptr;
    Only = Of ? Of : A.Value;
  }
  return Only;
}

} // namespace gpumemprof
