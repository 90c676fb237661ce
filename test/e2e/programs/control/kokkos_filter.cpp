// kokkos_filter.so - a tool of Kokkos that passes the calls on to the next library which
// KOKKOS_TOOLS_LIBS names, as the kernel filter of Kokkos Tools does. It leaves out all regions.
#include "kokkos_client.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void kokkosp_init_library(int turn, std::uint64_t version, std::uint32_t devices, void *of) {
  std::string libraries = std::getenv("KOKKOS_TOOLS_LIBS");
  kokkos::load(libraries.substr(libraries.find(';') + 1));
  if (kokkos::tool.init) kokkos::tool.init(turn, version, devices, of);
}
EXPORT void kokkosp_request_tool_settings(std::uint32_t count, kokkos::ToolSettings *settings) {
  if (kokkos::tool.request_settings) kokkos::tool.request_settings(count, settings);
}
EXPORT void kokkosp_allocate_data(kokkos::SpaceHandle space, const char *label, const void *pointer,
                                  std::uint64_t bytes) {
  if (kokkos::tool.allocate) kokkos::tool.allocate(space, label, pointer, bytes);
}
