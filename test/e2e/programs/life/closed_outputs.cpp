// Closes descriptors, as a daemon does, and writes to what is closed, or to the files that have
// become these descriptors, from several threads, while call paths make the capture grow.
//
//   closed_outputs threads BITS FD...   closes each FD; a write to it has to fail with EBADF
//   closed_outputs data PATH FD         closes FD; PATH becomes it and gets one line
//   closed_outputs both PATH            PATH becomes 1 and 2 by dup2
//   closed_outputs log PATH             PATH becomes 2 by dup2
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

template <int Depth> __attribute__((noinline)) void walk(unsigned path) {
  if (path & 1) walk<Depth - 1>(path >> 1);
  else walk<Depth - 1>(path >> 1);
}
template <> void walk<0>(unsigned) {
  char *p;
  cudaMalloc(reinterpret_cast<void **>(&p), 512);
  cudaFree(p);
}

static std::atomic<bool> quits;
static std::atomic<int> hits;

static void write_to(int fd) {
  static const char text[64] = "the program's own text, which belongs to no other file at all";
  while (!quits)
    if (write(fd, text, sizeof text) >= 0 || errno != EBADF) hits++;
}

static int threads(int argc, char **argv) {
  unsigned bits = unsigned(std::atoi(argv[2]));
  walk<16>(0); // the profiler has started
  std::vector<std::thread> writers;
  for (int i = 3; i < argc; i++) close(std::atoi(argv[i]));
  for (int i = 3; i < argc; i++) writers.emplace_back(write_to, std::atoi(argv[i]));
  for (unsigned path = 0; path < 1u << bits; path++) walk<16>(path);
  quits = true;
  for (std::thread &writer : writers) writer.join();
  return hits ? 8 : 9;
}

int main(int argc, char **argv) {
  std::string way = argc > 1 ? argv[1] : "";
  if (way == "threads") return threads(argc, argv);
  walk<16>(0);
  if (way == "data") {
    close(std::atoi(argv[3]));
    int fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd != std::atoi(argv[3]) || write(fd, "data\n", 5) != 5) return 8;
    return 9;
  }
  int fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(fd, 2);
  if (way == "both") dup2(fd, 1);
  close(fd);
  return write(2, "log\n", 4) == 4 ? 9 : 8;
}
