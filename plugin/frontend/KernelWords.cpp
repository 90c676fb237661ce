//===- KernelWords.cpp ----------------------------------------------------===//
#include "frontend/KernelWords.h"

#include "facts/KernelParameters.h"
#include "frontend/SourceFiles.h"

#include "gpumemprof/kernels.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm;

namespace gpumemprof {
namespace {

constexpr uint64_t WordBytes = 8;
constexpr uint64_t MostBytesOfNumbers = 256; // of an array; larger ones are coefficients

/// Walks the type of one parameter at a time.
class ParameterWalk {
public:
  ParameterWalk(const ASTContext &Context, KernelParameters &Result)
      : Context(Context), Result(Result) {}

  /// All words of the parameter with that number.
  void parameter(uint16_t Number, QualType Type, const std::string &Name) {
    size_t First = Result.Words.size();
    Parameter = Number;
    IsIndexed = false;
    type(Type, 0, Name);
    if (IsIndexed) fill(First, Context.getTypeSizeInChars(Type).getQuantity(), Name);
  }

private:
  void type(QualType Type, uint64_t Offset, const std::string &Name) {
    Type = Type.getCanonicalType();
    if (Type->isPointerType() || Type->isReferenceType() || Type->isNullPtrType())
      return add(Offset, true, Name);
    if (const ConstantArrayType *Array = Context.getAsConstantArrayType(Type))
      return array(*Array, Offset, Name);
    if (const RecordDecl *Record = Type->getAsRecordDecl()) return record(*Record, Offset, Name);
    if (const AtomicType *Atomic = Type->getAs<AtomicType>())
      return type(Atomic->getValueType(), Offset, Name);
    bool MayHold = Type->isIntegralOrEnumerationType() || Type->isMemberPointerType() ||
                   (Type->isVectorType() && Type->hasIntegerRepresentation());
    if (MayHold) unknown(Offset, Context.getTypeSizeInChars(Type).getQuantity(), Name);
  }

  void add(uint64_t Offset, bool IsPointer, const std::string &Name) {
    if (Result.Words.size() >= GPUMEMPROF_KERNEL_MOST_WORDS || Offset > UINT16_MAX) {
      Result.TooMany = true;
      return;
    }
    Result.Words.push_back({Parameter, uint16_t(Offset), IsPointer, Name});
  }

  /// Bytes in which anything may be: at multiples of 8, and from their beginning on, which is at
  /// none in a packed structure.
  void unknown(uint64_t Offset, uint64_t Bytes, const std::string &Name) {
    uint64_t Aligned = (Offset + WordBytes - 1) / WordBytes * WordBytes;
    words(Aligned, Offset + Bytes, Name);
    if (Offset != Aligned) words(Offset, Offset + Bytes, Name);
  }

  void words(uint64_t At, uint64_t End, const std::string &Name) {
    for (; At + WordBytes <= End && !Result.TooMany; At += WordBytes) add(At, false, Name);
  }

  /// Device code that takes an element of an array by a number takes any word of the parameter,
  /// as far as is known of it, so that those between the elements are listed as well.
  void fill(size_t First, uint64_t Bytes, const std::string &Name) {
    uint64_t Count = Bytes / WordBytes;
    if (First + Count > GPUMEMPROF_KERNEL_MOST_WORDS || Bytes > UINT16_MAX) return;
    std::vector<bool> Listed(Count);
    for (size_t I = First; I < Result.Words.size(); ++I)
      if (Result.Words[I].Offset % WordBytes == 0)
        Listed[Result.Words[I].Offset / WordBytes] = true;
    for (uint64_t I = 0; I < Count; ++I)
      if (!Listed[I]) add(I * WordBytes, false, Name);
  }

  void array(const ConstantArrayType &Array, uint64_t Offset, const std::string &Name) {
    if (pieces(Array, Offset, Name)) return;
    uint64_t Bytes = Context.getTypeSizeInChars(Array.getElementType()).getQuantity();
    uint64_t Count = Array.getSize().getZExtValue();
    size_t First = Result.Words.size();
    for (uint64_t I = 0; I < Count && !Result.TooMany; ++I)
      type(Array.getElementType(), Offset + I * Bytes, Name + "[" + std::to_string(I) + "]");
    IsIndexed |= Count > 1 && Result.Words.size() > First;
  }

  /// An address may lie in several numbers, or in one that is none by its type, because a program
  /// copied a structure there. Returns whether the array is one of such numbers.
  bool pieces(const ConstantArrayType &Array, uint64_t Offset, const std::string &Name) {
    QualType Type = Context.getBaseElementType(&Array).getCanonicalType();
    uint64_t Each = uint64_t(Context.getTypeSizeInChars(Type).getQuantity());
    bool IsInteger = Type->isIntegralOrEnumerationType() && Each < WordBytes;
    if (!IsInteger && !Type->isRealFloatingType()) return false;
    uint64_t Bytes = uint64_t(Context.getTypeSizeInChars(QualType(&Array, 0)).getQuantity());
    bool IsStorage = Each == 1, IsSmall = Bytes <= MostBytesOfNumbers;
    bool HasRoom = Result.Words.size() + Bytes / WordBytes < GPUMEMPROF_KERNEL_MOST_WORDS / 2;
    if (IsStorage || (IsSmall && HasRoom)) unknown(Offset, Bytes, Name);
    return true;
  }

  void record(const RecordDecl &Record, uint64_t Offset, const std::string &Name) {
    const RecordDecl *Whole = Record.getDefinition();
    if (!Whole || Whole->isInvalidDecl()) return;
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(Whole);
    if (Whole->isUnion()) return unknown(Offset, Layout.getSize().getQuantity(), Name);
    if (auto *Class = dyn_cast<CXXRecordDecl>(Whole)) {
      if (Class->isDynamicClass()) return unknown(Offset, Layout.getSize().getQuantity(), Name);
      for (const CXXBaseSpecifier &Base : Class->bases())
        if (const CXXRecordDecl *Of = Base.getType()->getAsCXXRecordDecl())
          record(*Of, Offset + Layout.getBaseClassOffset(Of).getQuantity(), Name);
    }
    for (const FieldDecl *Field : Whole->fields()) {
      // What is in one need not be the address alone, which is what a word is looked up for. The
      // tool finds out that the device code uses the word and that it is not listed.
      if (Field->isBitField()) continue;
      uint64_t At = Layout.getFieldOffset(Field->getFieldIndex()) / 8;
      std::string Inner = Field->getNameAsString();
      type(Field->getType(), Offset + At, Inner.empty() ? Name : Name + "." + Inner);
    }
  }

  const ASTContext &Context;
  KernelParameters &Result;
  uint16_t Parameter = 0;
  bool IsIndexed = false; // the parameter has an array with words
};

/// What nvcc writes for a kernel calls the function that launches it and does nothing else.
bool callsStub(const FunctionDecl &F) {
  auto *Body = dyn_cast_or_null<CompoundStmt>(F.getBody());
  if (!Body || Body->body_empty()) return false;
  auto *Value = dyn_cast<Expr>(*Body->body_begin());
  auto *Call = Value ? dyn_cast<CallExpr>(Value->IgnoreImplicit()) : nullptr;
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  StringRef Name = Callee && Callee->getIdentifier() ? Callee->getName() : "";
  return Name.starts_with("__device_stub_") || Name.starts_with("__wrapper__device_stub_");
}

bool isKernel(const FunctionDecl &F) {
  if (F.isDependentContext() || F.isInvalidDecl()) return false;
  if (F.hasAttr<CUDAGlobalAttr>()) return true;
  bool Wrapper = F.getIdentifier() && F.getName().starts_with("__wrapper__device_stub_");
  return !Wrapper && callsStub(F);
}

KernelParameters wordsOf(const FunctionDecl &Kernel, const ASTContext &Context) {
  KernelParameters Result;
  ParameterWalk W(Context, Result);
  std::unique_ptr<MangleContext> Mangler(const_cast<ASTContext &>(Context).createMangleContext());
  raw_string_ostream Symbol(Result.Symbol);
  bool Mangled = Mangler->shouldMangleDeclName(&Kernel);
  if (!Mangled) Symbol << Kernel.getName();
  else if (!Kernel.hasAttr<CUDAGlobalAttr>()) Mangler->mangleName(GlobalDecl(&Kernel), Symbol);
  else Mangler->mangleName(GlobalDecl(&Kernel, KernelReferenceKind::Kernel), Symbol);
  uint16_t Number = 0;
  for (const ParmVarDecl *Parameter : Kernel.parameters()) {
    // nvcc's names for its host compiler are its own.
    StringRef Name = Parameter->getName();
    W.parameter(Number++, Parameter->getType(), Name.starts_with("__cuda_") ? "" : Name.str());
  }
  if (Result.TooMany) Result.Words.clear();
  return Result;
}

} // namespace

void collectKernel(const FunctionDecl &F, ASTContext &Context, SourceFiles &Files) {
  if (!F.isThisDeclarationADefinition() || !isKernel(F)) return;
  KernelParameters Parameters = wordsOf(F, Context);
  SourceLocation Loc = Context.getSourceManager().getExpansionLoc(F.getLocation());
  SourceFiles::Location P = Files.location(Loc);
  Parameters.File = P.Path;
  Parameters.Line = P.Line;
  Files.Kernels[ASTNameGenerator(Context).getName(&F)] = std::move(Parameters);
}

} // namespace gpumemprof
