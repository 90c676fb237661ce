/* copy_test.c - copies and fills: bytes arrive, and nothing else is touched. */
#include "check.h"

#include <cuda_runtime.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

static unsigned char host[4096], back[4096];

static void numbers(void) {
  for (size_t i = 0; i < sizeof host; i++) host[i] = (unsigned char)(i * 7 + 3);
}

TEST(bytes_go_to_the_device_and_come_back) {
  void *p, *q;
  numbers();
  OK(cudaMalloc(&p, sizeof host));
  OK(cudaMalloc(&q, sizeof host));
  OK(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(q, p, sizeof host, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(back, q, sizeof host, cudaMemcpyDefault));
  CHECK(!memcmp(host, back, sizeof host));
}

TEST(asynchronous_copies_arrive_by_the_time_of_synchronisation) {
  cudaStream_t stream;
  void *p;
  numbers();
  OK(cudaStreamCreate(&stream));
  OK(cudaMallocAsync(&p, sizeof host, stream));
  OK(cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyHostToDevice, stream));
  OK(cudaMemcpyAsync(back, p, sizeof host, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  CHECK(!memcmp(host, back, sizeof host));
}

TEST(the_devices_end_of_a_copy_has_to_be_device_memory) {
  void *p;
  OK(cudaMalloc(&p, 100));
  CHECK_EQ(cudaMemcpy(host, back, 256, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  CHECK_EQ(cudaMemcpy(host, back, 256, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  CHECK_EQ(cudaMemcpy(p, host, 100, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  OK(cudaMemcpy(host, back, 256, cudaMemcpyDefault));
  OK(cudaMemcpy(host, back, 256, cudaMemcpyHostToHost));
  CHECK_EQ(cudaMemcpy(host, back, 256, (enum cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection);
  CHECK_EQ(cudaMemset(host, 0, 100), cudaErrorInvalidValue);
}

TEST(copies_past_the_end_of_a_block_are_invalid_values) {
  void *p;
  OK(cudaMalloc(&p, 100));
  CHECK_EQ(cudaMemcpy(p, host, 256, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  CHECK_EQ(cudaMemset(p, 0, 513), cudaErrorInvalidValue);
  CHECK_EQ(cudaMemcpy(NULL, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  OK(cudaMemcpy(NULL, host, 0, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(p, host, 100, cudaMemcpyHostToDevice));
  OK(cudaFree(p));
  CHECK_EQ(cudaMemcpy(p, host, 100, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
}

TEST(fills_set_exactly_their_bytes) {
  unsigned char *p;
  memset(host, 9, sizeof host);
  OK(cudaMalloc((void **)&p, sizeof host));
  OK(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
  OK(cudaMemset(p + 10, 0x1ab, 20)); /* the low byte counts */
  OK(cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < sizeof back; i++) CHECK_EQ(back[i], i >= 10 && i < 30 ? 0xab : 9);
}

/* Large fills with zero take another way. */
TEST(large_zero_fills_leave_their_neighbours) {
  size_t size = 8 * MIB;
  unsigned char *p, *all = malloc(size);
  memset(all, 5, size);
  OK(cudaMalloc((void **)&p, size));
  OK(cudaMemcpy(p, all, size, cudaMemcpyHostToDevice));
  OK(cudaMemset(p + 1001, 0, 6 * MIB));
  OK(cudaMemcpy(all, p, size, cudaMemcpyDeviceToHost));
  size_t wrong = 0;
  for (size_t i = 0; i < size; i++) wrong += all[i] != (i >= 1001 && i < 1001 + 6 * MIB ? 0 : 5);
  CHECK_EQ(wrong, 0);
  free(all);
}

TEST(rows_are_copied_with_their_pitches) {
  unsigned char *p;
  size_t pitch;
  numbers();
  OK(cudaMallocPitch((void **)&p, &pitch, 30, 20));
  OK(cudaMemset2D(p, pitch, 1, 30, 20));
  OK(cudaMemcpy2D(p, pitch, host, 40, 30, 20, cudaMemcpyHostToDevice));
  memset(back, 0xee, sizeof back);
  OK(cudaMemcpy2D(back, 50, p, pitch, 30, 20, cudaMemcpyDeviceToHost));
  for (size_t y = 0; y < 20; y++)
    for (size_t x = 0; x < 50; x++) CHECK_EQ(back[y * 50 + x], x < 30 ? host[y * 40 + x] : 0xee);
  CHECK_EQ(cudaMemcpy2D(p, 4, host, 8, 8, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
}

TEST(boxes_are_copied_slice_by_slice) {
  struct cudaPitchedPtr box;
  struct cudaExtent extent = {20, 6, 4};
  numbers();
  OK(cudaMalloc3D(&box, extent));
  OK(cudaMemset3D(box, 0, extent));
  struct cudaMemcpy3DParms to = {
      .srcPtr = {host, 20, 20, 6}, .dstPtr = box, .extent = extent, .kind = cudaMemcpyHostToDevice};
  OK(cudaMemcpy3D(&to));
  struct cudaMemcpy3DParms from = {.srcPtr = box,
                                   .srcPos = {4, 2, 1},
                                   .dstPtr = {back, 10, 10, 3},
                                   .extent = {10, 3, 2},
                                   .kind = cudaMemcpyDeviceToHost};
  OK(cudaMemcpy3D(&from));
  for (size_t z = 0; z < 2; z++)
    for (size_t y = 0; y < 3; y++)
      for (size_t x = 0; x < 10; x++)
        CHECK_EQ(back[z * 30 + y * 10 + x], host[(z + 1) * 120 + (y + 2) * 20 + x + 4]);
}

TEST(arrays_hold_what_is_copied_into_them) {
  struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat}, found;
  struct cudaExtent extent;
  unsigned flags;
  cudaArray_t array;
  numbers();
  OK(cudaMallocArray(&array, &format, 10, 8, 0));
  OK(cudaArrayGetInfo(&found, &extent, &flags, array));
  CHECK_EQ(extent.width, 10);
  CHECK_EQ(extent.height, 8);
  CHECK_EQ(found.x, 32);
  OK(cudaMemcpy2DToArray(array, 0, 0, host, 40, 40, 8, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2DFromArray(back, 16, array, 8, 2, 16, 3, cudaMemcpyDeviceToHost));
  for (size_t y = 0; y < 3; y++)
    for (size_t x = 0; x < 16; x++) CHECK_EQ(back[y * 16 + x], host[(y + 2) * 40 + x + 8]);
  CHECK_EQ(cudaMemcpy2DToArray(array, 36, 0, host, 8, 8, 2, cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
  OK(cudaFreeArray(array));
  CHECK_EQ(cudaMallocArray(&array, &format, 0, 0, 0), cudaErrorInvalidValue);
}

TEST_WITH(arrays_take_memory_of_the_device, "memory=1GiB") {
  struct cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaArray_t array;
  size_t before, after, total;
  void *p;
  OK(cudaMalloc(&p, 1));
  OK(cudaMemGetInfo(&before, &total));
  OK(cudaMallocArray(&array, &format, 100, 100, 0));
  OK(cudaMemGetInfo(&after, &total));
  CHECK_EQ(before - after, 2 * MIB);
  OK(cudaFreeArray(array));
  OK(cudaMemGetInfo(&after, &total));
  CHECK_EQ(before - after, 0);
  CHECK_EQ(cudaMallocArray(&array, &format, 65536, 65536, 0), cudaErrorMemoryAllocation);
}

TEST(mipmapped_arrays_have_levels_of_half_the_size) {
  struct cudaChannelFormatDesc format = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};
  struct cudaExtent extent = {64, 32, 0}, found;
  cudaMipmappedArray_t mipmap;
  cudaArray_t level;
  OK(cudaMallocMipmappedArray(&mipmap, &format, extent, 3, 0));
  OK(cudaGetMipmappedArrayLevel(&level, mipmap, 2));
  OK(cudaArrayGetInfo(NULL, &found, NULL, level));
  CHECK_EQ(found.width, 16);
  CHECK_EQ(found.height, 8);
  OK(cudaFreeMipmappedArray(mipmap));
}

TEST(textures_remember_what_they_were_made_of) {
  struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear}, found;
  struct cudaTextureDesc texture = {.readMode = cudaReadModeElementType};
  cudaTextureObject_t object = 0;
  OK(cudaMalloc(&resource.res.linear.devPtr, 4096));
  resource.res.linear.sizeInBytes = 4096;
  resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  OK(cudaCreateTextureObject(&object, &resource, &texture, NULL));
  OK(cudaGetTextureObjectResourceDesc(&found, object));
  CHECK(found.res.linear.devPtr == resource.res.linear.devPtr);
  OK(cudaDestroyTextureObject(object));
}

TEST(the_host_cannot_touch_device_memory) {
  char *p;
  OK(cudaMalloc((void **)&p, 4096));
  pid_t child = fork();
  if (!child) {
    signal(SIGSEGV, SIG_DFL);
    *(volatile char *)p = 1;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(!(WIFEXITED(status) &&
          WEXITSTATUS(status) == 0)); /* a sanitizer turns the signal into a status */
}
