// AllocationStrategy.hpp - a stand-in for Umpire's header of that name, written after its interface
// alone.
#pragma once
#include <cstddef>
#include <string>

namespace umpire {
enum class Platform { undefined, host, cuda };
struct MemoryResourceTraits {};

namespace strategy {
class AllocationStrategy {
public:
  AllocationStrategy(const std::string &name, int, AllocationStrategy *parent, const std::string &)
      : m_name(name), m_parent(parent) {}
  virtual ~AllocationStrategy() = default;
  void *allocate_internal(std::size_t bytes) { return allocate(bytes); }
  void *allocate_named_internal(const std::string &name, std::size_t bytes) {
    return allocate_named(name, bytes);
  }
  void deallocate_internal(void *p, std::size_t bytes = 0) { deallocate(p, bytes); }
  virtual Platform getPlatform() noexcept = 0;
  virtual MemoryResourceTraits getTraits() const noexcept { return {}; }

protected:
  std::string m_name;
  AllocationStrategy *m_parent;

private:
  virtual void *allocate(std::size_t bytes) = 0;
  virtual void *allocate_named(const std::string &, std::size_t bytes) { return allocate(bytes); }
  virtual void deallocate(void *p, std::size_t bytes = 0) = 0;
};
} // namespace strategy
} // namespace umpire
