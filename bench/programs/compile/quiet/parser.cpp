// parser.cpp - host code with strings, containers and exceptions, and no way to a CUDA call: reads
// a small configuration language.
#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace config {

struct Value {
  enum Kind { Number, Text, List, Table } kind = Number;
  double number = 0;
  std::string text;
  std::vector<Value> list;
  std::map<std::string, Value> table;
};

class Parser {
public:
  explicit Parser(std::string source) : source_(std::move(source)) {}

  Value parse() {
    Value value = table('\0');
    if (at_ != source_.size()) fail("end of input");
    return value;
  }

private:
  [[noreturn]] void fail(const char *wanted) const {
    size_t line = 1 + static_cast<size_t>(std::count(
                          source_.begin(), source_.begin() + static_cast<long>(at_), '\n'));
    throw std::runtime_error("line " + std::to_string(line) + ": " + wanted + " expected");
  }
  void blanks() {
    while (at_ < source_.size() &&
           (std::isspace(static_cast<unsigned char>(source_[at_])) || source_[at_] == '#'))
      if (source_[at_] == '#')
        while (at_ < source_.size() && source_[at_] != '\n') at_++;
      else at_++;
  }
  char peek() {
    blanks();
    return at_ < source_.size() ? source_[at_] : '\0';
  }
  void expect(char c, const char *wanted) {
    if (peek() != c) fail(wanted);
    at_++;
  }
  std::string word() {
    blanks();
    size_t start = at_;
    while (at_ < source_.size() &&
           (std::isalnum(static_cast<unsigned char>(source_[at_])) || source_[at_] == '_'))
      at_++;
    if (start == at_) fail("a name");
    return source_.substr(start, at_ - start);
  }
  Value quoted() {
    Value value;
    value.kind = Value::Text;
    at_++;
    while (at_ < source_.size() && source_[at_] != '"') {
      if (source_[at_] == '\\' && at_ + 1 < source_.size()) at_++;
      value.text += source_[at_++];
    }
    expect('"', "a closing quote");
    return value;
  }
  Value list() {
    Value value;
    value.kind = Value::List;
    at_++;
    while (peek() != ']') {
      value.list.push_back(any());
      if (peek() == ',') at_++;
    }
    at_++;
    return value;
  }
  Value table(char end) {
    Value value;
    value.kind = Value::Table;
    while (peek() != end) {
      std::string key = word();
      expect('=', "=");
      value.table[key] = any();
    }
    if (end) at_++;
    return value;
  }
  Value any() {
    char c = peek();
    if (c == '"') return quoted();
    if (c == '[') return list();
    if (c == '{') {
      at_++;
      return table('}');
    }
    Value value;
    size_t used = 0;
    try {
      value.number = std::stod(source_.substr(at_, 32), &used);
    } catch (const std::exception &) {
      fail("a value");
    }
    at_ += used;
    return value;
  }

  std::string source_;
  size_t at_ = 0;
};

Value read(const std::string &text) {
  return Parser(text).parse();
}

double sum(const Value &value) {
  double total = value.number;
  for (const Value &item : value.list) total += sum(item);
  for (const auto &entry : value.table) total += sum(entry.second);
  return total;
}

std::vector<std::string> keys(const Value &value) {
  std::vector<std::string> found;
  for (const auto &entry : value.table) {
    found.push_back(entry.first);
    for (const std::string &below : keys(entry.second)) found.push_back(entry.first + "." + below);
  }
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace config
