//===- AllocationText.cpp - collects allocation calls from the AST --------===//
#include "frontend/AllocationText.h"

#include "facts/PoolFunction.h"
#include "frontend/KernelWords.h"
#include "frontend/OriginalText.h"
#include "frontend/Receivers.h"
#include "frontend/SizeOperandNames.h"
#include "frontend/SourceFiles.h"
#include "names/CudaNames.h"
#include "names/CudaSizes.h"
#include "names/NameLength.h"
#include "names/Names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/Twine.h"

using namespace clang;
using namespace llvm;

namespace gpumemprof {

namespace {

StringRef calleeName(const CallExpr &Call) {
  const Expr *Callee = Call.getCallee()->IgnoreParenImpCasts();
  DeclarationName Name;
  if (auto *Ref = dyn_cast<DeclRefExpr>(Callee)) Name = Ref->getDecl()->getDeclName();
  else if (auto *Lookup = dyn_cast<UnresolvedLookupExpr>(Callee)) Name = Lookup->getName();
  return Name.isIdentifier() && Name.getAsIdentifierInfo() ? Name.getAsIdentifierInfo()->getName()
                                                           : StringRef();
}

/// How long the name of a type is with its template arguments. Each type is measured once, because
/// the length of a template over pairs of itself doubles with each level.
class TypeLength {
public:
  uint64_t of(QualType Type) {
    const clang::Type *T = Type.getCanonicalType().getTypePtr();
    while (T->isAnyPointerType() || T->isReferenceType() || T->isArrayType())
      T = T->isArrayType() ? T->getBaseElementTypeUnsafe() : T->getPointeeType().getTypePtr();
    auto *Record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(T->getAsCXXRecordDecl());
    if (!Record) return 16;
    auto [It, New] = Known.try_emplace(Record, 0);
    if (!New) return It->second;
    uint64_t Sum = 16;
    for (const TemplateArgument &A : Record->getTemplateArgs().asArray()) add(A, Sum);
    return Known[Record] = std::min(Sum, LongestName + 1);
  }

private:
  void add(const TemplateArgument &A, uint64_t &Sum) {
    if (A.getKind() == TemplateArgument::Type) Sum += of(A.getAsType());
    else if (A.getKind() == TemplateArgument::Pack)
      for (const TemplateArgument &Part : A.pack_elements()) add(Part, Sum);
    else Sum += 8;
  }

  DenseMap<const ClassTemplateSpecializationDecl *, uint64_t> Known;
};

std::string templateName(QualType Type) {
  const CXXRecordDecl *Record = Type->getAsCXXRecordDecl();
  return Record ? Record->getNameAsString() : "type";
}

class Collector : public RecursiveASTVisitor<Collector> {
  using Base = RecursiveASTVisitor<Collector>;

public:
  Collector(ASTContext &Context, SourceFiles &Files)
      : Context(Context), SM(Context.getSourceManager()), Files(Files), Names(Context) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool TraverseDecl(Decl *D) {
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    if (!F) return Base::TraverseDecl(D);
    const FunctionDecl *Outer = std::exchange(Current, F);
    bool Result = Base::TraverseDecl(D);
    Current = Outer;
    return Result;
  }

  bool TraverseLambdaExpr(LambdaExpr *Lambda) {
    const FunctionDecl *Outer = std::exchange(Current, Lambda->getCallOperator());
    bool Result = Base::TraverseLambdaExpr(Lambda);
    Current = Outer;
    return Result;
  }

  bool VisitFunctionDecl(FunctionDecl *F) {
    collectKernel(*F, Context, Files);
    // A cudaGrowBuffer() of the program is not the CUDA API, nor is its shutdown() the C library's.
    if (!F->getIdentifier() || !F->isExternC()) return true;
    StringRef Name = F->getName();
    bool Cuda = looksLikeCudaApi(Name) &&
                !Files.seesCudaHeader(); // prototypes of the program itself are enough
    if (!Cuda && !Files.isSystemFile(
                     Files.location(SM.getExpansionLoc(F->getCanonicalDecl()->getLocation())).Path))
      Files.UserFunctions.insert(Name);
    return true;
  }

  /// A variable may receive the result, as in `float *p = (float *)pool.take(n)`, `s->p = ...`,
  /// `Tensor t(n)`.
  bool VisitVarDecl(VarDecl *V) {
    if (V->getInit()) recordReceiver(*V->getInit(), V->getNameAsString(), V->getType());
    if (!V->isFileVarDecl() || V->getType()->isDependentType() || !V->getIdentifier()) return true;
    SourceFiles::Location P = Files.location(SM.getExpansionLoc(V->getLocation()));
    Files.Variables[Names.getName(V)] = {P.Path, P.Line};
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *Operator) {
    if (Operator->getOpcode() == BO_Assign)
      recordReceiver(*Operator->getRHS(), text(*Operator->getLHS()->IgnoreParens()),
                     Operator->getLHS()->getType());
    return true;
  }

  /// `a = make(n)` of objects is a call of an operator.
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *Operator) {
    if (Operator->getOperator() == OO_Equal && Operator->getNumArgs() == 2)
      recordReceiver(*Operator->getArg(1), text(*Operator->getArg(0)->IgnoreParens()),
                     Operator->getArg(0)->getType());
    return true;
  }

  bool VisitCallExpr(CallExpr *Call) {
    StringRef Name = calleeName(*Call);
    if (describePiece(*Call, Name)) return true;
    if (!isAllocationSpelling(Name) || Call->getNumArgs() < 2) {
      recordCall(*Call, std::as_const(*Call).arguments());
      return true;
    }
    Name = cudaSpelling(Name);
    AllocationText Text;
    if (Name.contains("HostRegister")) describeRegistered(*Call->getArg(0), Text);
    else describeReceiver(*Call->getArg(0), Text);
    // These calls return a handle, whose type is not that of the elements.
    if (Name.ends_with("Array") || Name.contains("GraphAdd")) Text.Type.clear();
    Text.SizeExpr = sizeText(*Call, Name);
    const CudaSize &Size = cudaSize(Name);
    if (Size.Numbers) Text.Operands = operandsOf(*Call, Size.Arguments);
    Text.Operands.Callee = Name.str();
    if (!Files.columnsAreReal()) {
      SourceFiles::Location P = Files.location(SM.getExpansionLoc(Call->getExprLoc()));
      OriginalCall Original = findOriginalCall(Files.textFrom(P.Path, P.Line), Name, Text.Variable);
      if (!Original.Arguments.empty()) Text.SizeExpr = joinSizes(Original.Arguments, Name);
    }
    record(*Call, Text, Files.Allocations);
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *Construction) {
    recordCall(*Construction, std::as_const(*Construction).arguments());
    return true;
  }
  bool TraverseConstructorInitializer(CXXCtorInitializer *Initializer) {
    if (const FieldDecl *Member = Initializer->getAnyMember())
      recordReceiver(*Initializer->getInit(), Member->getNameAsString(), Member->getType());
    return Base::TraverseConstructorInitializer(Initializer);
  }

private:
  void recordReceiver(const Expr &E, const std::string &Variable, QualType Type) {
    Holds How = holdsMemory(Type, Context);
    if (How == Holds::No) return;
    const Expr *Written = E.IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (auto *List = dyn_cast<InitListExpr>(Written); List && List->getNumInits() == 1)
      Written = List->getInit(0)->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (auto *New = dyn_cast<CXXNewExpr>(Written)) Written = New->getConstructExpr();
    // The constructor that copies is not written in `Vector z = x`.
    const Expr *Whole = E.IgnoreImplicit();
    for (const Expr *Call : {Written, Whole}) {
      if (!isa_and_nonnull<CallExpr, CXXConstructExpr>(Call)) continue;
      Receiver &R = Receivers[Call];
      R.How = isa<CXXConstructExpr>(Call) ? Holds::Yes : How;
      R.Text.Variable = Variable;
      describeElement(Type, R.Text);
    }
  }

  /// A macro adds `__LINE__` to what the source says.
  static bool isOfMacro(const Expr &E) {
    return E.getBeginLoc().isMacroID() && isa<IntegerLiteral>(E.IgnoreParenImpCasts());
  }

  /// Records a call that may be one of an allocation wrapper, if something receives what it makes:
  /// the result, an argument `&p`, the object of which it is a method, or what it refers to.
  void recordCall(const Expr &Call, CallExpr::const_arg_range Arguments) {
    if (!Current || Current->isDependentContext()) return;
    auto Known = Receivers.find(&Call);
    Receiver Result = Known != Receivers.end() ? Known->second : Receiver();
    bool Address = false;
    const Expr *Pointer = Result.How == Holds::Yes ? nullptr : pointerArgument(Call, Address);
    AllocationText Text = Pointer ? AllocationText() : Result.Text;
    if (Pointer && Address) describeReceiver(*Pointer, Text);
    else if (Pointer) {
      Text.Variable = text(*Pointer);
      describeElement(Pointer->getType(), Text);
    }
    const Expr *Object = Text.Variable.empty() ? changedObject(Call) : nullptr;
    if (Object) Text.Variable = text(*Object);
    if (Text.Variable.empty()) return;
    for (const Expr *A : Arguments)
      if (A->getType()->isIntegerType() && !isa<CXXDefaultArgExpr>(A) && !isOfMacro(*A))
        Text.SizeExpr += (Text.SizeExpr.empty() ? "" : ", ") + text(*A);
    record(Call, Text, Files.Calls);
  }

  /// Records a call of an allocator of the program. False if the call is none.
  bool describePiece(const CallExpr &Call, StringRef Name) {
    std::optional<PoolFunction> Pool;
    if (const FunctionDecl *F = Call.getDirectCallee())
      for (const AnnotateAttr *Note : F->specific_attrs<AnnotateAttr>())
        if (auto Parsed = PoolFunction::parse(Note->getAnnotation())) Pool = Parsed;
    if (Name == "gpumemprof_pool_alloc") {
      Pool.emplace();
      Pool->Allocates = true;
      Pool->Size = 3;
    }
    if (!Pool || !Pool->Allocates) return false;
    bool Operator = isa<CXXOperatorCallExpr>(Call) && Pool->HasThis; // its object comes first
    auto Index = [&](unsigned Number) { return Number - 1 + Operator; };
    auto Argument = [&](unsigned Number) -> const Expr * {
      return Number && Index(Number) < Call.getNumArgs() ? Call.getArg(Index(Number)) : nullptr;
    };
    AllocationText Text = Receivers.lookup(&Call).Text;
    if (const Expr *Out = Argument(Pool->Pointer)) describeReceiver(*Out, Text);
    if (Name == "gpumemprof_pool_alloc" && Argument(2)) Text.Variable = text(*Argument(2));
    std::vector<std::string> Sizes;
    SmallVector<unsigned, 2> Arguments;
    for (unsigned Number : {Pool->Size, Pool->Count})
      if (const Expr *Size = Argument(Number)) {
        Sizes.push_back(text(*Size));
        Arguments.push_back(Index(Number));
      }
    Text.SizeExpr = product(Sizes);
    if (const FunctionDecl *F = Call.getDirectCallee()) {
      Text.Operands = operandsOf(Call, Arguments);
      Text.Operands.Callee = Names.getName(F);
      Text.Operands.HasThis = Pool->HasThis && !Operator;
    }
    record(Call, Text, Files.Allocations);
    return true;
  }

  /// The debug location of a macro argument is that of the argument in the file in clang 22, and
  /// that of the macro in clang 19, so the call is recorded at both.
  void record(const Expr &Call, const AllocationText &Text, AllocationTable &To) {
    if (std::exchange(NamedFor, Current) != Current)
      CurrentName = Current && !Current->isDependentContext() ? Names.getName(Current) : "";
    for (SourceLocation Loc :
         {SM.getExpansionLoc(Call.getExprLoc()), SM.getFileLoc(Call.getExprLoc())}) {
      SourceFiles::Location P = Files.location(Loc);
      To.add(P.Path, P.Line, P.Column, CurrentName, Text, &Call);
    }
  }

  std::string text(const Expr &E) const {
    SourceRange Range = E.getSourceRange();
    const LangOptions &Lang = Context.getLangOpts();
    CharSourceRange Written =
        Lexer::makeFileCharRange(CharSourceRange::getTokenRange(Range), SM, Lang);
    // The expression is in the body of a macro, and its text is taken from there; not of one that
    // begins in the body and ends in an argument.
    if (Written.isInvalid() && SM.getFileID(Range.getBegin()) != SM.getFileID(Range.getEnd()))
      return "";
    if (Written.isInvalid())
      Written = CharSourceRange::getTokenRange(SM.getSpellingLoc(Range.getBegin()),
                                               SM.getSpellingLoc(Range.getEnd()));
    bool Invalid = false;
    StringRef Text = Lexer::getSourceText(Written, SM, Lang, &Invalid);
    if (Invalid) return "";
    if (Text.size() <= LongestText) return onOneLine(Text);
    return onOneLine(Text.take_front(LongestText)) + " ...";
  }

  void describeReceiver(const Expr &Argument, AllocationText &Result) const {
    const Expr *E = Argument.IgnoreParenCasts();
    QualType Type;
    auto *Operator = dyn_cast<UnaryOperator>(E);
    if (Operator && Operator->getOpcode() == UO_AddrOf) {
      E = Operator->getSubExpr()->IgnoreParens();
      Result.Variable = text(*E);
      Type = E->getType();
    } else {
      bool Simple = isa<DeclRefExpr>(E) || isa<MemberExpr>(E);
      Result.Variable = Simple ? "*" + text(*E) : "*(" + text(*E) + ")";
      if (E->getType()->isPointerType()) Type = E->getType()->getPointeeType();
    }
    describeElement(Type, Result);
  }

  /// Memory that the program has already.
  void describeRegistered(const Expr &Argument, AllocationText &Result) const {
    const Expr *E = Argument.IgnoreParenCasts();
    Result.Variable = text(*E);
    describeElement(E->getType(), Result);
  }

  void describeElement(QualType Type, AllocationText &Result) const {
    if (Type.isNull() || !Type->isPointerType()) return;
    QualType Element = Type->getPointeeType().getUnqualifiedType();
    if (Element->isVoidType() || Element->isFunctionType()) return;
    Result.Type = TypeLength().of(Element) <= LongestName
                      ? withoutVersions(Element.getAsString(PrintingPolicy(Context.getLangOpts())))
                      : templateName(Element) + "<...>";
  }

  SizeOperands operandsOf(const CallExpr &Call, ArrayRef<unsigned> Arguments) const {
    return findSizeOperands(Call, Arguments, Context, [this](const Expr &E) { return text(E); });
  }

  std::string sizeText(const CallExpr &Call, StringRef Name) const {
    std::vector<std::string> Arguments;
    for (const Expr *A : Call.arguments())
      if (!isa<CXXDefaultArgExpr>(A)) Arguments.push_back(text(*A));
    return joinSizes(Arguments, Name);
  }

  ASTContext &Context;
  SourceManager &SM;
  SourceFiles &Files;
  ASTNameGenerator Names;
  const FunctionDecl *Current = nullptr, *NamedFor = nullptr;
  std::string CurrentName; // linkage name of NamedFor
  struct Receiver {        // of the result of a call
    Holds How = Holds::No;
    AllocationText Text;
  };
  DenseMap<const Expr *, Receiver> Receivers;
};

} // namespace

void collectAllocations(ASTContext &Context, const std::vector<Decl *> &Declarations,
                        SourceFiles &Files) {
  SourceManager &SM = Context.getSourceManager();
  Collector C(Context, Files);
  for (size_t I = 0; I < Declarations.size(); ++I) { // the walk may load more of them from a module
    Decl *D = Declarations[I];
    SourceLocation Loc = SM.getExpansionLoc(D->getLocation());
    if (Loc.isInvalid() || SM.isInSystemHeader(Loc)) continue;
    C.TraverseDecl(D);
  }
}

} // namespace gpumemprof
