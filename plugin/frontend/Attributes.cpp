//===- Attributes.cpp - gpumemprof_profile, _ignore, _not_wrapper ---------===//
//
// These attributes say how the profiler treats a function. They become annotations
// (AttributeParts.h), which Roles.cpp reads from the module.
//
//===----------------------------------------------------------------------===//
#include "base/Compat.h"
#include "frontend/AttributeParts.h"

using namespace clang;
using namespace gpumemprof;

namespace {

struct FunctionAttribute : ParsedAttrInfo {
  FunctionAttribute(ArrayRef<Spelling> Names, const char *Annotation, const char *Remedy)
      : Annotation(Annotation), Remedy(Remedy) {
    Spellings = Names;
    OptArgs = 15; // so that a wrong argument gets our sentence
  }

  bool diagAppertainsToDecl(Sema &S, const ParsedAttr &Attr, const Decl *D) const override {
    if (isa<FunctionDecl>(D)) return true;
    reportError(S, Attr, quoted(Attr) + " marks functions only; " + Remedy);
    return false;
  }

  AttrHandling handleDeclAttribute(Sema &S, Decl *D, const ParsedAttr &Attr) const override {
    if (Attr.getNumArgs() != 0) {
      reportError(S, Attr, quoted(Attr) + " takes no arguments; write it without parentheses");
      return AttributeNotApplied;
    }
    return annotate(S, D, Attr, Annotation);
  }

  const char *Annotation, *Remedy;
};

constexpr ParsedAttrInfo::Spelling ProfileNames[] = GPUMEMPROF_SPELLINGS("profile");

constexpr ParsedAttrInfo::Spelling IgnoreNames[] = GPUMEMPROF_SPELLINGS("ignore");

constexpr ParsedAttrInfo::Spelling NotWrapperNames[] = GPUMEMPROF_SPELLINGS("not_wrapper");

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

struct NotWrapperAttribute final : FunctionAttribute {
  NotWrapperAttribute()
      : FunctionAttribute(
            NotWrapperNames, "gpumemprof.not_wrapper",
            "to show all wrappers, give `gpumemprof report` the option --wrappers show") {}
};

} // namespace

static ParsedAttrInfoRegistry::Add<ProfileAttribute>
    Profile("gpumemprof_profile", "count every call of a function and its wall time");
static ParsedAttrInfoRegistry::Add<IgnoreAttribute> Ignore("gpumemprof_ignore",
                                                           "give a function no scope of its own");
static ParsedAttrInfoRegistry::Add<NotWrapperAttribute>
    NotWrapper("gpumemprof_not_wrapper", "leave what a function allocates with its own line");
