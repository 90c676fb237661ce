//===- Attributes.cpp - gpumemprof_profile and gpumemprof_ignore ----------===//
//
// Both become annotations, which clang carries to redeclarations, instantiations,
// precompiled headers and modules by itself; Roles.cpp reads them from the module.
//
//===----------------------------------------------------------------------===//
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"

using namespace clang;

namespace {

void report(Sema &S, const ParsedAttr &Attr, const std::string &Text) {
  DiagnosticsEngine &Diags = S.getDiagnostics();
  unsigned ID = Diags.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Error, Text);
  Diags.Report(Attr.getLoc(), ID) << Attr.getRange();
}

std::string quoted(const ParsedAttr &Attr) {
  return "'" + Attr.getNormalizedFullName() + "'";
}

struct FunctionAttribute : ParsedAttrInfo {
  FunctionAttribute(ArrayRef<Spelling> Names, const char *Annotation, const char *Remedy)
      : Annotation(Annotation), Remedy(Remedy) {
    Spellings = Names;
    OptArgs = 15; // so that a wrong argument gets our sentence
  }

  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &Attr, const Decl *D) const override {
    if (isa<FunctionDecl>(D)) return true;
    report(S, Attr, quoted(Attr) + " marks functions only; " + Remedy);
    return false;
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &Attr) const override {
    if (Attr.getNumArgs() != 0) {
      report(S, Attr, quoted(Attr) + " takes no arguments; write it without parentheses");
      return AttributeNotApplied;
    }
    const LangOptions &Lang = S.getLangOpts();
    if (!Lang.CUDAIsDevice && !Lang.OpenMPIsTargetDevice && !Lang.SYCLIsDevice)
      D->addAttr(AnnotateAttr::Create(S.Context, Annotation, nullptr, 0, Attr.getRange()));
    return AttributeApplied;
  }

  const char *Annotation, *Remedy;
};

constexpr ParsedAttrInfo::Spelling ProfileNames[] = {{ParsedAttr::AS_GNU, "gpumemprof_profile"},
                                                     {ParsedAttr::AS_CXX11, "gpumemprof_profile"},
                                                     {ParsedAttr::AS_CXX11, "gpumemprof::profile"},
                                                     {ParsedAttr::AS_C23, "gpumemprof_profile"},
                                                     {ParsedAttr::AS_C23, "gpumemprof::profile"}};

constexpr ParsedAttrInfo::Spelling IgnoreNames[] = {{ParsedAttr::AS_GNU, "gpumemprof_ignore"},
                                                    {ParsedAttr::AS_CXX11, "gpumemprof_ignore"},
                                                    {ParsedAttr::AS_CXX11, "gpumemprof::ignore"},
                                                    {ParsedAttr::AS_C23, "gpumemprof_ignore"},
                                                    {ParsedAttr::AS_C23, "gpumemprof::ignore"}};

struct ProfileAttribute final : FunctionAttribute {
  ProfileAttribute()
      : FunctionAttribute(ProfileNames, "gpumemprof.profile",
                          "to measure a block, put GPUMEMPROF_SCOPE(\"name\") into it") {}
};

struct IgnoreAttribute final : FunctionAttribute {
  IgnoreAttribute()
      : FunctionAttribute(IgnoreNames, "gpumemprof.ignore",
                          "to leave out whole files, use a filter file with src:PATTERN") {}
};

} // namespace

static ParsedAttrInfoRegistry::Add<ProfileAttribute>
    Profile("gpumemprof_profile", "count every call of a function and its wall time");
static ParsedAttrInfoRegistry::Add<IgnoreAttribute> Ignore("gpumemprof_ignore",
                                                           "give a function no scope of its own");
