//===- AttributeParts.h - what all attributes share -----------------------===//
//
// Their spellings, their error messages, and the annotation that each becomes. Clang
// copies annotations to redeclarations, instantiations, precompiled headers and
// modules by itself, and Roles.cpp reads them from the module.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_ATTRIBUTEPARTS_H
#define GPUMEMPROF_PLUGIN_ATTRIBUTEPARTS_H

#include "base/Compat.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include <string>

namespace gpumemprof {

inline void reportError(clang::Sema &S, const clang::ParsedAttr &Attr, const std::string &Text) {
  clang::DiagnosticsEngine &Diags = S.getDiagnostics();
  unsigned ID = Diags.getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Error, Text);
  Diags.Report(Attr.getLoc(), ID) << Attr.getRange();
}

inline std::string quoted(const clang::ParsedAttr &Attr) {
  return "'" + Attr.getNormalizedFullName() + "'";
}

/// The compilation is of device code, which gets no hooks. The attributes are valid in it.
inline bool isDeviceCompilation(const clang::LangOptions &Lang) {
  return Lang.CUDAIsDevice || Lang.OpenMPIsTargetDevice || Lang.SYCLIsDevice;
}

inline clang::ParsedAttrInfo::AttrHandling
annotate(clang::Sema &S, clang::Decl *D, const clang::ParsedAttr &Attr, llvm::StringRef Text) {
  if (!isDeviceCompilation(S.getLangOpts()))
    D->addAttr(clang::AnnotateAttr::Create(S.Context, Text, nullptr, 0, Attr.getRange()));
  return clang::ParsedAttrInfo::AttributeApplied;
}

} // namespace gpumemprof

/// Every spelling of the attribute `name`, as a list for ParsedAttrInfo.
#define GPUMEMPROF_SPELLINGS(name)                                                                 \
  {                                                                                                \
    {clang::ParsedAttr::AS_GNU, "gpumemprof_" name},                                               \
        {clang::ParsedAttr::AS_CXX11, "gpumemprof_" name},                                         \
        {clang::ParsedAttr::AS_CXX11, "gpumemprof::" name},                                        \
        {clang::ParsedAttr::AS_C23, "gpumemprof_" name}, {                                         \
      clang::ParsedAttr::AS_C23, "gpumemprof::" name                                               \
    }                                                                                              \
  }

#endif // GPUMEMPROF_PLUGIN_ATTRIBUTEPARTS_H
