//===- AttributeErrors.h - what attributes say of wrong uses --------------===//
#ifndef GPUMEMPROF_PLUGIN_ATTRIBUTEERRORS_H
#define GPUMEMPROF_PLUGIN_ATTRIBUTEERRORS_H

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

/// Device code gets no hooks, and the attribute is good there all the same.
inline bool isDeviceCompilation(const clang::LangOptions &Lang) {
  return Lang.CUDAIsDevice || Lang.OpenMPIsTargetDevice || Lang.SYCLIsDevice;
}

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_ATTRIBUTEERRORS_H
