// pages.cu - runs the kernels of pages_kernels.h, and computes itself which pages each of them
// reads and writes.
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <thread>
#include <vector>

#include "pages_kernels.h"
#include "pages_truth.h"

static void streams_of_items() {
  const int count = 100000;
  block to("to", count * 4 + 50000), from("from", 2 * count * 4);
  copy_items<<<(count + 255) / 256, 256>>>(to.floats(), from.floats(), count);
  to.writes(0, count * 4);
  from.reads(0, count * 4);
  from.end();
  to.end();
}

static void strides() {
  const int count = 300, stride = 5000; // 20000 bytes: pages are left out
  block to("spread", (size_t)count * stride * 4), from("dense", count * 4 + 9000);
  strided<<<2, 64>>>(to.floats(), from.floats(), count, stride);
  for (int i = 0; i < count; i++) {
    to.reads((size_t)i * stride * 4, 4);
    to.writes((size_t)i * stride * 4, 4);
  }
  from.reads(0, count * 4);
  to.end();
  from.end();
}

static void matrices() {
  const int rows = 50, width = 2500, used = 96; // of each row, the first 96 columns
  block sums("sums", used * 4 + 4096), matrix("matrix", (size_t)rows * width * 4);
  columns<<<3, 32>>>(sums.floats(), matrix.floats(), rows, width);
  sums.writes(0, used * 4);
  for (int row = 0; row < rows; row++) matrix.reads((size_t)row * width * 4, used * 4);
  sums.end();
  matrix.end();
}

static void borders() {
  block to("middle", 10 * page),
      from("around", 10 * page); // item 1024 and 2047 are at the borders of pages
  neighbours<<<4, 256>>>(to.floats(), from.floats(), 1024, 2048);
  to.writes(1024 * 4, 1024 * 4);
  from.reads(1023 * 4, 1026 * 4);
  to.end();
  from.end();
}

static void indices() {
  const int count = 64;
  int host[count];
  block to("gathered", count * 4), from("sparse", 200 * page), index("index", sizeof host);
  for (int i = 0; i < count; i++) host[i] = i * i * 37 % (200 * 1024);
  cudaMemcpy(index.at, host, sizeof host, cudaMemcpyHostToDevice);
  gather<<<1, count>>>(to.floats(), from.floats(), (const int *)index.at, count);
  to.writes(0, count * 4);
  index.reads(0, sizeof host);
  for (int i : host) from.reads((size_t)i * 4, 4);
  to.end();
  from.end();
  index.end();
}

static void pointers() {
  block target("target", 20 * page), table("table", 8 * sizeof(void *));
  cudaMemcpy(table.at + 8 * 3, &target.at, sizeof(void *), cudaMemcpyHostToDevice);
  follow<<<1, 1>>>((float *const *)table.at, 3, 9 * 1024 + 5);
  table.reads(8 * 3, sizeof(void *));
  target.writes((9 * 1024 + 5) * 4, 4);
  table.end();
  target.end();
}

static void bins() {
  const int count = 1000;
  unsigned host[count];
  block bins("bins", 16 * page), values("values", sizeof host);
  for (int i = 0; i < count; i++) host[i] = (i % 2 ? 2 : 11) * 1024 + i % 7;
  cudaMemcpy(values.at, host, sizeof host, cudaMemcpyHostToDevice);
  count_values<<<2, 32>>>((unsigned *)bins.at, (const unsigned *)values.at, count);
  values.reads(0, sizeof host);
  for (unsigned value : host) {
    bins.reads((size_t)value * 4, 4);
    bins.writes((size_t)value * 4, 4);
  }
  bins.end();
  values.end();
}

static void structures() {
  block to("second", 3 * sizeof(item)), from("first", 2 * sizeof(item));
  copy_structure<<<1, 32>>>((item *)to.at + 1, (const item *)from.at);
  to.writes(sizeof(item), sizeof(item));
  from.reads(0, sizeof(item));
  to.end();
  from.end();
}

static void early_ends() {
  block to("found", 4), from("searched", 30 * page);
  const float value = 1;
  cudaMemset(from.at, 0, from.bytes);
  cudaMemcpy(from.at + 12 * page, &value, sizeof value, cudaMemcpyHostToDevice);
  search<<<1, 1>>>(to.floats(), from.floats(), 1);
  from.reads(0, 12 * page + 4);
  to.writes(0, 4);
  to.end();
  from.end();
}

// A block at the address of an earlier one has none of its marks, and one that is live at the end
// is recorded, too.
static void one_address_twice() {
  block first("first_use", 6 * page * 1024);
  copy_items<<<8, 128>>>(first.floats(), first.floats() + 8192, 1024);
  first.writes(0, page);
  first.reads(8192 * 4, page);
  first.end();
  block next("next_use", 6 * page * 1024);
  copy_items<<<1, 1>>>(next.floats() + 3 * 1024, next.floats() + 5 * 1024, 1);
  next.writes(3 * page, 4);
  next.reads(5 * page, 4);
  next.print();
}

int main(int argc, char **argv) {
  std::string way = argc > 1 ? argv[1] : "";
  if (way == "hidden") {
    block to("hidden", 4 * page);
    hidden<<<1, 1>>>(to.floats());
    to.end();
    block later("later", 4 * page);
    copy_items<<<1, 1>>>(later.floats(), later.floats(), 1);
    later.reads(0, 4);
    later.writes(0, 4);
    later.end();
    return 0;
  }
  if (way == "managed") { // the host may use it, too
    char *shared;
    cudaMallocManaged(&shared, 4 * page);
    copy_items<<<1, 1>>>((float *)shared + 1024, (float *)shared, 1);
    cudaFree(shared);
    return 0;
  }
  if (way == "threads") { // each has a stream, and neighbours use pages together
    block to("together", 40 * page), from("source", 40 * page);
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; number++)
      threads.emplace_back([&, number] {
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        for (int i = 0; i < 9 * 8; i++) {
          size_t first = (size_t)number * 9 * 1024 + (size_t)i * 128 + 512;
          copy_items<<<1, 128, 0, stream>>>(to.floats() + first, from.floats() + first, 128);
        }
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
      });
    for (std::thread &thread : threads) thread.join();
    to.writes(512 * 4, 36 * page);
    from.reads(512 * 4, 36 * page);
    to.end();
    from.end();
    return 0;
  }
  streams_of_items();
  strides();
  matrices();
  borders();
  indices();
  pointers();
  bins();
  structures();
  early_ends();
  one_address_twice();
}
