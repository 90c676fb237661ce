//===- BudgetAttributes.cpp - gpumemprof_budget, _no_alloc, _no_leak ------===//
//
// These attributes limit the memory that a function may need. Each becomes an
// annotation (AttributeParts.h), which Roles.cpp reads from the module (Budget.h).
//
//===----------------------------------------------------------------------===//
#include "base/Compat.h"
#include "facts/Budget.h"
#include "frontend/AttributeParts.h"

#include "gpumemprof/hooks.h"
#include "gpumemprof/sizes.h"

#include "clang/AST/Expr.h"

using namespace clang;
using namespace gpumemprof;

namespace {

struct BudgetAttribute : ParsedAttrInfo {
  BudgetAttribute(ArrayRef<Spelling> Names, uint16_t Flag, const char *Block)
      : Flag(Flag), Block(Block) {
    Spellings = Names;
    OptArgs = 15;  // so that a wrong argument gets our sentence
    IsStmt = true; // so that a statement with the attribute gets it, too
  }

  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &Attr, const Decl *D) const override {
    if (isa<FunctionDecl>(D)) return true;
    return refuse(S, Attr);
  }

  bool diagAppertainsToStmt(Sema &S, const ParsedAttr &Attr, const Stmt *) const override {
    return refuse(S, Attr);
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &Attr) const override {
    Budget B;
    B.Flags = Flag;
    std::string Error = read(Attr, B);
    if (!Error.empty()) {
      reportError(S, Attr, quoted(Attr) + " " + Error);
      return AttributeNotApplied;
    }
    return annotate(S, D, Attr, B.text());
  }

private:
  bool refuse(Sema &S, const ParsedAttr &Attr) const {
    reportError(S, Attr, quoted(Attr) + " marks functions only; in a block write " + Block);
    return false;
  }

  /// Reads the arguments into \p B. Returns what is wrong, or "".
  std::string read(const ParsedAttr &Attr, Budget &B) const {
    if (Flag != GPUMEMPROF_SITE_BUDGET)
      return Attr.getNumArgs() ? "takes no arguments; write it without parentheses" : "";
    const char *Usage = "wants " GPUMEMPROF_SIZE_USAGE ", in quotes";
    if (Attr.hasScope()) // clang parses no arguments of attributes that only a plugin knows
      return "cannot have its size in this spelling; write GPUMEMPROF_BUDGET(\"512MiB\")";
    if (Attr.getNumArgs() != 1 || !Attr.isArgExpr(0)) return Usage;
    auto *Text = dyn_cast<clang::StringLiteral>(Attr.getArgAsExpr(0)->IgnoreParenCasts());
    if (!Text || Text->getCharByteWidth() != 1) return Usage;
    B.Size = Text->getString().str();
    uint64_t Bytes;
    bool Good = B.Size.find('\0') == std::string::npos && gpumemprof_size(B.Size.c_str(), &Bytes);
    return Good ? "" : std::string(Usage) + ", not \"" + B.Size + "\"";
  }

  const uint16_t Flag;
  const char *Block;
};

constexpr ParsedAttrInfo::Spelling BudgetNames[] = GPUMEMPROF_SPELLINGS("budget");

constexpr ParsedAttrInfo::Spelling NoAllocNames[] = GPUMEMPROF_SPELLINGS("no_alloc");

constexpr ParsedAttrInfo::Spelling NoLeakNames[] = GPUMEMPROF_SPELLINGS("no_leak");

struct BytesAttribute final : BudgetAttribute {
  BytesAttribute()
      : BudgetAttribute(BudgetNames, GPUMEMPROF_SITE_BUDGET,
                        "GPUMEMPROF_SCOPE_BUDGET(\"name\", \"512MiB\")") {}
};

struct NoAllocAttribute final : BudgetAttribute {
  NoAllocAttribute()
      : BudgetAttribute(NoAllocNames, GPUMEMPROF_SITE_NO_ALLOC,
                        "GPUMEMPROF_SCOPE_NO_ALLOC(\"name\")") {}
};

struct NoLeakAttribute final : BudgetAttribute {
  NoLeakAttribute()
      : BudgetAttribute(NoLeakNames, GPUMEMPROF_SITE_NO_LEAK,
                        "GPUMEMPROF_SCOPE_NO_LEAK(\"name\")") {}
};

} // namespace

static ParsedAttrInfoRegistry::Add<BytesAttribute>
    Bytes("gpumemprof_budget", "the device memory a call may need on top of what is there");
static ParsedAttrInfoRegistry::Add<NoAllocAttribute> NoAlloc("gpumemprof_no_alloc",
                                                             "nothing is allocated in a function");
static ParsedAttrInfoRegistry::Add<NoLeakAttribute>
    NoLeak("gpumemprof_no_leak", "what is allocated in a function is freed when it ends");
