//===- SizeOperandNames.cpp - the operands of a size in the AST -----------===//
//
// The expression is walked as CodeGen will compute it, the left side of an operator
// first. Parentheses and conversions between integers are no nodes, because the IR may
// have more or fewer of them. An expression that is a constant here is one in the IR,
// too; if it is not, nothing matches.
//
//===----------------------------------------------------------------------===//
#include "frontend/SizeOperandNames.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace llvm;

namespace gpumemprof {
namespace {

bool isPlainInteger(QualType Type) {
  return Type->isIntegralOrUnscopedEnumerationType() && !Type->isBooleanType() &&
         !Type->isBitIntType();
}

/// The cast converts an integer to an integer. `(long)(x * 1.7)` has its conversion from a float
/// inside of a cast that does nothing.
bool convertsIntegers(const CastExpr &Cast) {
  auto *Inner = dyn_cast<ImplicitCastExpr>(Cast.getSubExpr());
  if (Inner && Inner->isPartOfExplicitCast() && !isPlainInteger(Inner->getSubExpr()->getType()))
    return false;
  return (Cast.getCastKind() == CK_IntegralCast || Cast.getCastKind() == CK_NoOp) &&
         Cast.isPRValue() && isPlainInteger(Cast.getSubExpr()->getType());
}

const Expr &withoutConversions(const Expr &Outer) {
  for (const Expr *E = &Outer;;) {
    auto *Cast = dyn_cast<CastExpr>(E);
    auto *Unary = dyn_cast<clang::UnaryOperator>(E);
    if (auto *Paren = dyn_cast<ParenExpr>(E)) E = Paren->getSubExpr();
    else if (Cast && convertsIntegers(*Cast)) E = Cast->getSubExpr();
    else if (Unary && Unary->getOpcode() == UO_Plus && isPlainInteger(Unary->getType()))
      E = Unary->getSubExpr();
    else return *E;
  }
}

char operatorOf(BinaryOperatorKind Kind) {
  switch (Kind) {
  case BO_Mul:
    return '*';
  case BO_Div:
    return '/';
  case BO_Rem:
    return '%';
  case BO_Add:
    return '+';
  case BO_Sub:
    return '-';
  case BO_Shl:
    return '<';
  case BO_Shr:
    return '>';
  case BO_And:
    return '&';
  case BO_Or:
    return '|';
  case BO_Xor:
    return '^';
  default:
    return 0;
  }
}

class Walk {
public:
  using Node = SizeOperands::Node;
  using Kind = SizeOperands::Kind;

  Walk(ASTContext &Context, function_ref<std::string(const Expr &)> Text, bool Pure)
      : Context(Context), Text(Text), Pure(Pure) {}

  /// Adds the tree of \p Outer. False if a part of it is not understood.
  bool add(const Expr &Outer, std::vector<Node> &Tree) {
    const Expr &E = withoutConversions(Outer);
    Node N;
    if (E.isInstantiationDependent() || !isPlainInteger(E.getType())) return false;
    N.Signed = E.getType()->isSignedIntegerOrEnumerationType();
    N.Width = unsigned(Context.getTypeSize(E.getType()));
    if (N.Width > 64) return false;
    Expr::EvalResult Known;
    if (E.EvaluateAsInt(Known, Context)) {
      Tree.push_back(N);
      return true;
    }
    auto *Binary = dyn_cast<clang::BinaryOperator>(&E);
    char Operator = Binary ? operatorOf(Binary->getOpcode()) : 0;
    if (Operator && isPlainInteger(Binary->getLHS()->getType())) {
      N.What = Kind::Binary;
      N.Operator = Operator;
      Tree.push_back(N);
      return add(*Binary->getLHS(), Tree) && add(*Binary->getRHS(), Tree);
    }
    N.What = Kind::Operand;
    N.Text = Text(*E.IgnoreParenImpCasts());
    if (N.Text.empty() || N.Text.size() > SizeOperands::LongestText) return false;
    // Without side effects, operands with the same text have the same value.
    if (Pure && is_contained(Seen, N.Text)) N.What = Kind::Repeated;
    else Seen.push_back(N.Text);
    Tree.push_back(N);
    return Seen.size() <= SizeOperands::Most;
  }

  bool foundAny() const { return !Seen.empty(); }

private:
  ASTContext &Context;
  function_ref<std::string(const Expr &)> Text;
  bool Pure;
  std::vector<std::string> Seen;
};

} // namespace

SizeOperands findSizeOperands(const CallExpr &Call, ArrayRef<unsigned> Arguments,
                              ASTContext &Context, function_ref<std::string(const Expr &)> Text) {
  SizeOperands Result;
  if (Arguments.empty() || Call.isTypeDependent() ||
      any_of(Arguments, [&](unsigned I) { return I >= Call.getNumArgs(); }))
    return Result;
  bool Pure = none_of(Arguments, [&](unsigned I) {
    return Call.getArg(I)->isInstantiationDependent() || Call.getArg(I)->HasSideEffects(Context);
  });
  Walk W(Context, Text, Pure);
  std::vector<SizeOperands::Size> Sizes;
  for (unsigned I : Arguments) {
    Sizes.push_back({I, {}});
    if (!W.add(*Call.getArg(I), Sizes.back().Tree)) return Result;
  }
  if (!W.foundAny()) return Result;
  Result.Arguments = Call.getNumArgs();
  Result.Sizes = std::move(Sizes);
  return Result;
}

} // namespace gpumemprof
