// kokkos_client.h - what Kokkos does with tools and memory, written after its public interface for
// tools alone (Kokkos_Profiling_C_Interface.h), so that tests need no Kokkos: it loads the first
// library that KOKKOS_TOOLS_LIBS names, and calls those of the functions that this has. A view has
// a header of 128 bytes before its data; its label is passed on after the allocation and before the
// free.
#ifndef KOKKOS_CLIENT_H
#define KOKKOS_CLIENT_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <string>

namespace kokkos {

struct SpaceHandle {
  char name[64];
};
struct ToolSettings {
  bool requires_global_fencing;
  bool padding[255];
};
constexpr size_t HEADER = 128;
constexpr std::uint64_t VERSION = 20240906;

inline struct Tool {
  void (*init)(int, std::uint64_t, std::uint32_t, void *);
  void (*finalize)();
  void (*request_settings)(std::uint32_t, ToolSettings *);
  void (*push_region)(const char *);
  void (*pop_region)();
  void (*begin_for)(const char *, std::uint32_t, std::uint64_t *);
  void (*end_for)(std::uint64_t);
  void (*begin_reduce)(const char *, std::uint32_t, std::uint64_t *);
  void (*end_reduce)(std::uint64_t);
  void (*begin_scan)(const char *, std::uint32_t, std::uint64_t *);
  void (*end_scan)(std::uint64_t);
  void (*begin_copy)(SpaceHandle, const char *, const void *, SpaceHandle, const char *,
                     const void *, std::uint64_t);
  void (*end_copy)();
  void (*allocate)(SpaceHandle, const char *, const void *, std::uint64_t);
  void (*deallocate)(SpaceHandle, const char *, const void *, std::uint64_t);
} tool;
inline ToolSettings settings;

inline void load(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!handle) {
    std::fprintf(stderr, "Error: Unable to load KokkosP library: %s\n", library.c_str());
    return;
  }
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
  };
  find(tool.init, "kokkosp_init_library");
  find(tool.finalize, "kokkosp_finalize_library");
  find(tool.request_settings, "kokkosp_request_tool_settings");
  find(tool.push_region, "kokkosp_push_profile_region");
  find(tool.pop_region, "kokkosp_pop_profile_region");
  find(tool.begin_for, "kokkosp_begin_parallel_for");
  find(tool.end_for, "kokkosp_end_parallel_for");
  find(tool.begin_reduce, "kokkosp_begin_parallel_reduce");
  find(tool.end_reduce, "kokkosp_end_parallel_reduce");
  find(tool.begin_scan, "kokkosp_begin_parallel_scan");
  find(tool.end_scan, "kokkosp_end_parallel_scan");
  find(tool.begin_copy, "kokkosp_begin_deep_copy");
  find(tool.end_copy, "kokkosp_end_deep_copy");
  find(tool.allocate, "kokkosp_allocate_data");
  find(tool.deallocate, "kokkosp_deallocate_data");
}

// CUDA is started before the tool is loaded.
inline void initialize() {
  cudaFree(nullptr);
  const char *libraries = std::getenv("KOKKOS_TOOLS_LIBS");
  if (!libraries || !*libraries) return;
  std::string first(libraries);
  load(first.substr(0, first.find(';')));
  settings.requires_global_fencing = true;
  if (tool.init) tool.init(0, VERSION, 0, nullptr);
  if (tool.request_settings) tool.request_settings(1, &settings);
}

inline void finalize() {
  if (tool.finalize) tool.finalize();
}

inline void push_region(const std::string &name) {
  if (tool.push_region) tool.push_region(name.c_str());
}
inline void pop_region() {
  if (tool.pop_region) tool.pop_region();
}

// kind: 0 for, 1 reduce, 2 scan
template <class Body> void parallel(int kind, const std::string &name, Body body) {
  auto begin = kind == 0 ? tool.begin_for : kind == 1 ? tool.begin_reduce : tool.begin_scan;
  auto end = kind == 0 ? tool.end_for : kind == 1 ? tool.end_reduce : tool.end_scan;
  std::uint64_t number = 0;
  if (begin) begin(name.c_str(), 0, &number);
  body();
  if (end) end(number);
}

template <class Body> void deep_copy(const char *to, const char *from, size_t bytes, Body body) {
  if (tool.begin_copy) tool.begin_copy({"Cuda"}, to, nullptr, {"Host"}, from, nullptr, bytes);
  body();
  if (tool.end_copy) tool.end_copy();
}

// old: as before Kokkos 3.2, which passed the address of the data.
__attribute__((noinline)) inline void *allocate(const char *label, size_t bytes, bool old = false) {
  void *p = nullptr;
  if (cudaMalloc(&p, bytes + HEADER)) std::abort();
  char *data = static_cast<char *>(p) + HEADER;
  if (tool.allocate) tool.allocate({"Cuda"}, label, old ? data : p, bytes);
  return data;
}
inline void deallocate(const char *label, void *data, size_t bytes) {
  void *p = static_cast<char *>(data) - HEADER;
  if (tool.deallocate) tool.deallocate({"Cuda"}, label, p, bytes);
  cudaFree(p);
}

} // namespace kokkos

#endif
