//===- KernelParameters.h - which words of a kernel may hold addresses ----===//
//
// Collected from the AST, because the IR splits structures that are passed by value.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_KERNELPARAMETERS_H
#define GPUMEMPROF_PLUGIN_KERNELPARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

namespace gpumemprof {

/// Eight bytes of a parameter.
struct KernelWord {
  uint16_t Parameter = 0, Offset = 0;
  bool IsPointer = false; // else a number or a part of a union, in which an address may be
  std::string Name;       // "layer.weights"
};

struct KernelParameters {
  std::string Symbol; // its name in device code, unless start-up code registers another
  std::string File;
  unsigned Line = 0;
  std::vector<KernelWord> Words;
  bool TooMany = false; // there are more than GPUMEMPROF_KERNEL_MOST_WORDS, so none is listed
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_KERNELPARAMETERS_H
