// pipeline.cpp - a graph of stages behind virtual functions and std::function: memory asked for
// through interfaces, so that the compiler can not see where an allocation ends up.
#include "bench_cuda.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace pipeline {

struct Memory {
  virtual ~Memory() = default;
  virtual void *allocate(size_t bytes) = 0;
  virtual void release(void *p) = 0;
};

struct DeviceMemory final : Memory {
  void *allocate(size_t bytes) override {
    void *p = nullptr;
    return cudaMalloc(&p, bytes) == 0 ? p : nullptr;
  }
  void release(void *p) override { cudaFree(p); }
};

struct StreamMemory final : Memory {
  cudaStream_t stream = nullptr;
  StreamMemory() { cudaStreamCreate(&stream); }
  ~StreamMemory() override { cudaStreamDestroy(stream); }
  void *allocate(size_t bytes) override {
    void *p = nullptr;
    return cudaMallocAsync(&p, bytes, stream) == 0 ? p : nullptr;
  }
  void release(void *p) override { cudaFreeAsync(p, stream); }
};

struct HostMemory final : Memory {
  void *allocate(size_t bytes) override {
    void *p = nullptr;
    return cudaMallocHost(&p, bytes) == 0 ? p : nullptr;
  }
  void release(void *p) override { cudaFreeHost(p); }
};

struct Image {
  std::shared_ptr<Memory> memory;
  size_t width = 0, height = 0, pitch = 0;
  void *pixels = nullptr;

  Image(std::shared_ptr<Memory> from, size_t w, size_t h)
      : memory(std::move(from)), width(w), height(h), pitch((w + 255) / 256 * 256) {
    pixels = memory->allocate(pitch * height);
  }
  ~Image() {
    if (pixels) memory->release(pixels);
  }
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;
};
using ImagePtr = std::shared_ptr<Image>;

void blur_kernel(const void *in, void *out, size_t width, size_t height);
void sobel_kernel(const void *in, void *out, size_t width, size_t height);
void histogram_kernel(const void *in, unsigned *bins, size_t width, size_t height);

class Stage {
public:
  explicit Stage(std::string name) : name_(std::move(name)) {}
  virtual ~Stage() = default;
  virtual ImagePtr run(const std::vector<ImagePtr> &inputs) = 0;
  const std::string &name() const { return name_; }

private:
  std::string name_;
};

class Filter : public Stage {
public:
  using Kernel = std::function<void(const Image &, Image &)>;
  Filter(std::string name, Kernel kernel) : Stage(std::move(name)), kernel_(std::move(kernel)) {}
  ImagePtr run(const std::vector<ImagePtr> &inputs) override {
    const Image &in = *inputs.at(0);
    auto out = std::make_shared<Image>(in.memory, in.width, in.height);
    kernel_(in, *out);
    return out;
  }

private:
  Kernel kernel_;
};

class Pyramid : public Stage {
public:
  explicit Pyramid(int levels) : Stage("pyramid"), levels_(levels) {}
  ImagePtr run(const std::vector<ImagePtr> &inputs) override {
    ImagePtr current = inputs.at(0);
    std::vector<ImagePtr> levels;
    for (int i = 0; i < levels_; i++) {
      levels.push_back(
          std::make_shared<Image>(current->memory, current->width / 2, current->height / 2));
      blur_kernel(current->pixels, levels.back()->pixels, current->width, current->height);
      current = levels.back();
    }
    return current;
  }

private:
  int levels_;
};

class Histogram : public Stage {
public:
  Histogram() : Stage("histogram") {
    cudaMalloc(&bins_, 256 * sizeof(unsigned));
    cudaMallocHost(&host_bins_, 256 * sizeof(unsigned));
  }
  ~Histogram() override {
    cudaFree(bins_);
    cudaFreeHost(host_bins_);
  }
  ImagePtr run(const std::vector<ImagePtr> &inputs) override {
    const Image &in = *inputs.at(0);
    cudaMemset(bins_, 0, 256 * sizeof(unsigned));
    histogram_kernel(in.pixels, bins_, in.width, in.height);
    cudaMemcpy(host_bins_, bins_, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost);
    brightest_ = static_cast<unsigned>(std::max_element(host_bins_, host_bins_ + 256) - host_bins_);
    return inputs.at(0);
  }
  unsigned brightest() const { return brightest_; }

private:
  unsigned *bins_ = nullptr, *host_bins_ = nullptr;
  unsigned brightest_ = 0;
};

class Graph {
public:
  void add(std::unique_ptr<Stage> stage, std::vector<std::string> inputs) {
    order_.push_back(stage->name());
    inputs_[stage->name()] = std::move(inputs);
    stages_[stage->name()] = std::move(stage);
  }
  ImagePtr run(ImagePtr source) {
    std::map<std::string, ImagePtr> done{{"source", std::move(source)}};
    ImagePtr last;
    for (const std::string &name : order_) {
      std::vector<ImagePtr> arguments;
      for (const std::string &input : inputs_[name]) arguments.push_back(done.at(input));
      last = done[name] = stages_[name]->run(arguments);
    }
    return last;
  }

private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::string>> inputs_;
  std::map<std::string, std::unique_ptr<Stage>> stages_;
};

Graph make_graph() {
  Graph graph;
  graph.add(std::make_unique<Filter>("blur",
                                     [](const Image &in, Image &out) {
                                       blur_kernel(in.pixels, out.pixels, in.width, in.height);
                                     }),
            {"source"});
  graph.add(std::make_unique<Filter>("edges",
                                     [](const Image &in, Image &out) {
                                       sobel_kernel(in.pixels, out.pixels, in.width, in.height);
                                     }),
            {"blur"});
  graph.add(std::make_unique<Pyramid>(4), {"edges"});
  graph.add(std::make_unique<Histogram>(), {"pyramid"});
  return graph;
}

void run_frames(int threads, int frames, size_t width, size_t height) {
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; t++)
    workers.emplace_back([=] {
      std::shared_ptr<Memory> memory =
          t % 2 ? std::shared_ptr<Memory>(std::make_shared<StreamMemory>())
                : std::shared_ptr<Memory>(std::make_shared<DeviceMemory>());
      auto staging = std::make_shared<HostMemory>();
      Graph graph = make_graph();
      for (int i = 0; i < frames; i++) {
        Image upload(staging, width, height);
        auto source = std::make_shared<Image>(memory, width, height);
        cudaMemcpy(source->pixels, upload.pixels, source->pitch * height, cudaMemcpyHostToDevice);
        graph.run(source);
      }
    });
  for (std::thread &worker : workers) worker.join();
}

} // namespace pipeline
