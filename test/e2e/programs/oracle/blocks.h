/* blocks.h - what the generated programs of rows.py count of each block: who took it and who gave
 * it back, by file, and its variable, type and label. Printed as JSON, one block a line. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <string>
#include <vector>

constexpr int SLOTS = 48;

struct Block {
  size_t bytes;
  const char *file, *variable, *type;
  std::string label, path; // path: the files of the functions around it, ",a,b,a,"
  const char *freed_file = nullptr;
  std::string freed_path;
  int thread = 0;
  bool at_peak = false, live = true;
};
struct Slot {
  void *p = nullptr;
  size_t block = 0;
};

inline std::vector<Block> blocks;
inline std::vector<const char *> files; // of the open functions
inline std::vector<std::string> labels;
inline Slot slots[SLOTS];
inline size_t total, peak;
inline unsigned long state;
inline long calls_left;
inline int thread_now; // one runs at a time

inline unsigned draw(unsigned n) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(state >> 33) % n;
}

struct In {
  explicit In(const char *file) { files.push_back(file); }
  ~In() { files.pop_back(); }
};

struct Label {
  explicit Label(const char *text) {
    labels.push_back(labels.empty() ? text : labels.back() + "/" + text);
    gpumemprof_label_push(text);
  }
  ~Label() {
    labels.pop_back();
    gpumemprof_label_pop();
  }
};

inline std::string path() {
  std::string text = ",";
  for (const char *file : files) text += std::string(file) + ",";
  return text;
}

inline void took(int slot, void *p, size_t bytes, const char *file, const char *variable,
                 const char *type) {
  slots[slot] = {p, blocks.size()};
  blocks.push_back({bytes, file, variable, type, labels.empty() ? "" : labels.back(), path()});
  blocks.back().thread = thread_now;
  if ((total += bytes) <= peak) return;
  peak = total;
  for (Block &b : blocks) b.at_peak = b.live;
}

inline void gave(int slot, const char *file) {
  Block &b = blocks[slots[slot].block];
  b.live = false;
  b.freed_file = file;
  b.freed_path = path();
  total -= b.bytes;
  slots[slot].p = nullptr;
}

inline void print_blocks() {
  for (const Block &b : blocks)
    std::printf("{\"bytes\": %zu, \"file\": \"%s\", \"variable\": \"%s\", \"type\": \"%s\", "
                "\"label\": \"%s\", \"path\": \"%s\", \"freed_file\": \"%s\", \"freed_path\": "
                "\"%s\", \"thread\": %d, \"at_peak\": %d, \"live\": %d}\n",
                b.bytes, b.file, b.variable, b.type, b.label.c_str(), b.path.c_str(),
                b.freed_file ? b.freed_file : "", b.freed_path.c_str(), b.thread, b.at_peak,
                b.live);
}

#endif
