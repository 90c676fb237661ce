//===- SizeOperands.h - what the size of an allocation is computed from ---===//
//
// `n * m * sizeof(float)` has the operands n and m. The AST knows their names, the
// IR their values; to bring both together the AST's side is a tree, which the IR's
// computation has to have as well, node by node. What does not fit has no
// operands: a wrong name for a value would be worse than none.
//
//===----------------------------------------------------------------------===//
#ifndef GPUMEMPROF_PLUGIN_SIZEOPERANDS_H
#define GPUMEMPROF_PLUGIN_SIZEOPERANDS_H

#include <cstddef>
#include <string>
#include <vector>

namespace gpumemprof {

struct SizeOperands {
  enum class Kind {
    Constant,
    Operand, // neither constant nor arithmetic: Text is how it is written
    Again,   // an operand that stands before it already
    Binary   // Operator, and the two trees that follow
  };
  struct Node {
    Kind What = Kind::Constant;
    char Operator = 0; // one of * / % + - < > & | ^ (< and > stand for shifts)
    bool Signed = false;
    unsigned Width = 0; // bits of its type
    std::string Text;
  };
  /// A tree in the order of its text: an operator, its left side, its right side.
  struct Size {
    unsigned Argument;
    std::vector<Node> Tree;
  };

  std::string Callee;      // CUDA's as spelled, without suffixes; else its linkage name
  unsigned Arguments = 0;  // of the call, as the AST has them
  bool HasThis = false;    // an object that is none of them
  std::vector<Size> Sizes; // none: nothing is known

  static constexpr unsigned Most = 4; // operands: GPUMEMPROF_OPERANDS
  static constexpr size_t LongestText = 100;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SIZEOPERANDS_H
