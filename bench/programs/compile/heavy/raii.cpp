// raii.cpp - device memory behind owning C++ types: move-only buffers, exceptions, containers of
// buffers, a fluid solver that owns two dozen of them.
#include "bench_cuda.h"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fluid {

class Error : public std::runtime_error {
public:
  Error(cudaError_t code, const std::string &what)
      : std::runtime_error(what + ": " + cudaGetErrorString(code)), code_(code) {}
  cudaError_t code() const { return code_; }

private:
  cudaError_t code_;
};

inline void check(cudaError_t code, const char *what) {
  if (code != 0) throw Error(code, what);
}

template <class T> class Buffer {
public:
  Buffer() = default;
  explicit Buffer(size_t count) : count_(count) {
    if (count) check(cudaMalloc(&data_, count * sizeof(T)), "Buffer");
  }
  Buffer(const std::vector<T> &host) : Buffer(host.size()) {
    check(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice), "upload");
  }
  Buffer(Buffer &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Buffer() { cudaFree(data_); }

  void resize(size_t count) {
    if (count <= count_) return;
    Buffer larger(std::max(count, count_ * 2));
    check(cudaMemcpy(larger.data_, data_, bytes(), cudaMemcpyDeviceToDevice), "resize");
    *this = std::move(larger);
  }
  std::vector<T> download() const {
    std::vector<T> host(count_);
    check(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost), "download");
    return host;
  }
  T *get() const { return data_; }
  size_t size() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }

private:
  T *data_ = nullptr;
  size_t count_ = 0;
};

struct HostFree {
  void operator()(void *p) const { cudaFreeHost(p); }
};
template <class T> using Pinned = std::unique_ptr<T[], HostFree>;

template <class T> Pinned<T> make_pinned(size_t count) {
  T *p = nullptr;
  check(cudaMallocHost(&p, count * sizeof(T)), "pinned");
  return Pinned<T>(p);
}

struct Grid {
  size_t nx, ny, nz;
  size_t cells() const { return nx * ny * nz; }
};

void launch_advect(const float *u, const float *v, const float *w, float *out, Grid grid, float dt);
void launch_jacobi(const float *p, const float *divergence, float *out, Grid grid);
void launch_restrict(const float *fine, float *coarse, Grid grid);

struct Velocity {
  Buffer<float> u, v, w;
  explicit Velocity(Grid grid) : u(grid.cells()), v(grid.cells()), w(grid.cells()) {}
};

class Multigrid {
public:
  explicit Multigrid(Grid grid) {
    for (; grid.nx >= 4 && grid.ny >= 4 && grid.nz >= 4;
         grid = {grid.nx / 2, grid.ny / 2, grid.nz / 2}) {
      grids_.push_back(grid);
      pressure_.emplace_back(grid.cells());
      residual_.emplace_back(grid.cells());
    }
  }
  void cycle(const Buffer<float> &divergence, int sweeps) {
    for (size_t level = 0; level < grids_.size(); level++) {
      Buffer<float> scratch(grids_[level].cells());
      for (int i = 0; i < sweeps; i++) {
        launch_jacobi(pressure_[level].get(), divergence.get(), scratch.get(), grids_[level]);
        std::swap(pressure_[level], scratch);
      }
      if (level + 1 < grids_.size())
        launch_restrict(residual_[level].get(), residual_[level + 1].get(), grids_[level]);
    }
  }
  size_t bytes() const {
    size_t sum = 0;
    for (const auto &buffer : pressure_) sum += buffer.bytes();
    for (const auto &buffer : residual_) sum += buffer.bytes();
    return sum;
  }

private:
  std::vector<Grid> grids_;
  std::vector<Buffer<float>> pressure_, residual_;
};

class Solver {
public:
  Solver(Grid grid, size_t particles)
      : grid_(grid), front_(grid), back_(grid), divergence_(grid.cells()), multigrid_(grid),
        positions_(particles * 3), host_positions_(make_pinned<float>(particles * 3)) {
    for (auto &field : scalars_) field = Buffer<float>(grid.cells());
  }

  void step(float dt) {
    launch_advect(front_.u.get(), front_.v.get(), front_.w.get(), back_.u.get(), grid_, dt);
    launch_advect(front_.u.get(), front_.v.get(), front_.w.get(), back_.v.get(), grid_, dt);
    launch_advect(front_.u.get(), front_.v.get(), front_.w.get(), back_.w.get(), grid_, dt);
    std::swap(front_, back_);
    multigrid_.cycle(divergence_, 4);
    for (auto &field : scalars_) {
      Buffer<float> moved(field.size());
      launch_advect(front_.u.get(), front_.v.get(), field.get(), moved.get(), grid_, dt);
      field = std::move(moved);
    }
  }

  void add_particles(const std::vector<float> &more) {
    size_t before = positions_.size();
    positions_.resize(before + more.size());
    check(cudaMemcpy(positions_.get() + before, more.data(), more.size() * sizeof(float),
                     cudaMemcpyHostToDevice),
          "particles");
  }

  float highest() const {
    std::vector<float> host = scalars_[0].download();
    return host.empty() ? 0.0f : *std::max_element(host.begin(), host.end());
  }

private:
  Grid grid_;
  Velocity front_, back_;
  Buffer<float> divergence_;
  Multigrid multigrid_;
  std::array<Buffer<float>, 4> scalars_;
  Buffer<float> positions_;
  Pinned<float> host_positions_;
};

std::unique_ptr<Solver> make_solver(size_t side) {
  try {
    return std::make_unique<Solver>(Grid{side, side, side}, side * side);
  } catch (const Error &) {
    return std::make_unique<Solver>(Grid{side / 2, side / 2, side / 2}, side * side / 4);
  }
}

float simulate(size_t side, int steps) {
  auto solver = make_solver(side);
  for (int i = 0; i < steps; i++) {
    solver->step(0.01f);
    if (i % 10 == 0) solver->add_particles(std::vector<float>(300, 0.5f));
  }
  return solver->highest();
}

} // namespace fluid
