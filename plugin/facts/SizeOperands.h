//===- SizeOperands.h - the operands of the size of an allocation ---------===//
//
// `n * m * sizeof(float)` has the operands n and m. The AST knows their names, the IR
// their values. To match them, the front end describes the expression as a tree, and
// the computation in the IR must have the same tree, node by node. Where it has not,
// no operands are recorded: a wrong name for a value would be worse than none.
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
    Operand,  // neither constant nor arithmetic: Text is how the source has it
    Repeated, // an operand that came before
    Binary    // an operator, whose two sides are the two trees that follow
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

  std::string Callee;      // a CUDA function as spelled, without suffixes; else its linkage name
  unsigned Arguments = 0;  // of the call, as the AST has them
  bool HasThis = false;    // the call has an object, which is not one of the arguments
  std::vector<Size> Sizes; // empty: nothing is known

  static constexpr unsigned Most = 4; // operands: GPUMEMPROF_OPERANDS
  static constexpr size_t LongestText = 100;
};

} // namespace gpumemprof

#endif // GPUMEMPROF_PLUGIN_SIZEOPERANDS_H
