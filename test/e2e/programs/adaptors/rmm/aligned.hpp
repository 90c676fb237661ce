// A stand-in for RMM's header of that name, written after its interface alone.
#pragma once
#include <cstddef>
namespace rmm {
inline constexpr std::size_t CUDA_ALLOCATION_ALIGNMENT = 256;
}
