//===- CudaSizes.h - which arguments say how much a CUDA call allocates ---===//
//
// Read from cuda_api.def: of each allocation, the parameters that its expression of the
// requested bytes names. The front end takes the text of a size from these arguments
// (OriginalText.h), and its operands where they are numbers (SizeOperandNames.h).
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_CUDASIZES_H
#define GPUMEMPROF_PLUGIN_CUDASIZES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace gpumemprof {

struct CudaSize {
  /// Numbers of arguments whose product is the size, but for the bytes of an element. Empty if
  /// no argument says it.
  llvm::SmallVector<unsigned, 2> Arguments;
  /// The arguments are plain numbers; otherwise one is a structure that describes what is wanted.
  bool Numbers = false;
};

/// Of the allocation that a source calls \p Callee, without suffixes. Of other functions: nothing.
const CudaSize &cudaSize(llvm::StringRef Callee);

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_CUDASIZES_H
