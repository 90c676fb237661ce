//===- Receivers.cpp -------------------------------------------------------===//
#include "frontend/Receivers.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace llvm;

namespace gpumemprof {

namespace {

/// A variable that is passed by a reference through which it may change.
bool isReferred(const Expr &Argument, const ParmVarDecl &Parameter) {
  if (!isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr>(Argument.IgnoreParenCasts())) return false;
  QualType Type = Parameter.getType();
  if (!Type->isLValueReferenceType()) return false;
  Type = Type->getPointeeType();
  return !Type.isConstQualified() && (Type->isPointerType() || Type->isRecordType());
}

/// The only argument that the function may change through a reference, or null.
const Expr *onlyReferred(const CallExpr &Call) {
  const FunctionDecl *F = Call.getDirectCallee();
  const Expr *Only = nullptr;
  bool IsOperator = isa<CXXOperatorCallExpr>(Call); // its object may be its first argument
  for (unsigned I = 0; F && !IsOperator && I < Call.getNumArgs() && I < F->getNumParams(); ++I) {
    if (!isReferred(*Call.getArg(I), *F->getParamDecl(I))) continue;
    if (Only) return nullptr;
    Only = Call.getArg(I);
  }
  return Only;
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

} // namespace

bool mayHoldMemory(QualType Type, const ASTContext &Context) {
  if (Type->isDependentType() || !Type->isArithmeticType()) return !Type->isEnumeralType();
  return Type->isIntegerType() &&
         Context.getTypeSize(Type) == Context.getTypeSize(Context.VoidPtrTy);
}

const Expr *addressArgument(CallExpr::const_arg_range Arguments) {
  const Expr *First = nullptr;
  for (const Expr *A : Arguments) {
    auto *Operator = dyn_cast<UnaryOperator>(A->IgnoreParenCasts());
    if (!Operator || Operator->getOpcode() != UO_AddrOf) continue;
    if (Operator->getSubExpr()->getType()->isPointerType()) return A;
    if (!First) First = A;
  }
  return First;
}

const Expr *changedObject(const Expr &Call) {
  if (const Expr *Object = objectOf(Call)) return Object;
  return isa<CallExpr>(Call) ? onlyReferred(cast<CallExpr>(Call)) : nullptr;
}

} // namespace gpumemprof
