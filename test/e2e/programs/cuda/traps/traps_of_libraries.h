// traps_of_libraries.h - part of traps.cu: uses in libraries, and by functions that are found by
// name.

extern "C" int cublasSetWorkspace_v2(void *handle, void *workspace, size_t size);
extern "C" int cublasSscal_v2(void *handle, int n, const float *alpha, float *x, int step);
extern "C" int cublasLtMatmulDescSetAttribute(void *description, int attribute, const void *value,
                                              size_t size);
extern "C" int cublasSgemmBatched(void *handle, float *const *list);
extern "C" int cublasXtSscal(void *handle, float *const *list);
extern "C" int MPI_Send(const void *buffer, int count);
extern "C" int MPI_Isend(const void *buffer, int count, int *request);
extern "C" int MPI_Wait(int *request);
extern "C" int own_send(const void *buffer); // in the filter file

static void clean_library_call() {
  float alpha = 2, *a = allocate(SMALL);
  cublasSscal_v2(nullptr, N, &alpha, a, 1);
  PEAK(cublasSscal_v2(nullptr, N, &alpha, b, 1))
}

// The address is in device memory, but this function does not follow it.
static void clean_library_beside_addresses() {
  float alpha = 2, *a = allocate(SMALL), **list = (float **)allocate(64), *host[] = {a}, *pinned;
  cudaMallocHost(&pinned, 64);
  cudaMemcpy(list, host, sizeof host, cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(cublasSscal_v2(nullptr, N, &alpha, b, 1))
  cudaFree(list);
  cudaFreeHost(pinned);
}

static void library_workspace() {
  float alpha = 2, *a = allocate(SMALL);
  cublasSetWorkspace_v2(nullptr, a, SMALL);
  PEAK(cublasSscal_v2(nullptr, N, &alpha, b, 1))
}

static void library_attribute() {
  float alpha = 2, *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  cublasLtMatmulDescSetAttribute(nullptr, 1, &a, sizeof a);
  PEAK(cublasSscal_v2(nullptr, N, &alpha, b, 1))
}

static void library_last() {
  float alpha = 2, *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(cublasSscal_v2(nullptr, N, &alpha, a + 16, 1))
}

static void sent() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(MPI_Send(a, N))
}

static void being_sent() {
  int request = 0;
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  MPI_Isend(a, N, &request);
  PEAK(MPI_Wait(&request))
}

static void clean_that_is_not_sent() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(MPI_Send(b, N))
}

static void sent_by_a_library_of_the_filter() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(own_send(a))
}

static void library_list() {
  float *a = allocate(SMALL);
  scale<<<N / 256, 256>>>(a, 2, N);
  float *list[] = {a};
  PEAK(cublasXtSscal(nullptr, list))
}

static void library_batch() {
  float *a = allocate(SMALL), **list = (float **)allocate(64), *host[] = {a};
  cudaMemcpy(list, host, sizeof host, cudaMemcpyHostToDevice);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(cublasSgemmBatched(nullptr, list))
  cudaFree(list);
}

// Functions that are found by name are recorded like others.
static void clean_found_by_name() {
  float *a = allocate(SMALL);
  auto fill = (cudaError_t (*)(void *, int, size_t))dlsym(RTLD_DEFAULT, "cudaMemset");
  fill(a, 0, SMALL);
  PEAK(fill(b, 0, LARGE))
}
static void found_by_name() {
  float *a = allocate(SMALL);
  auto fill = (cudaError_t (*)(void *, int, size_t))dlsym(RTLD_DEFAULT, "cudaMemset");
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(fill(a, 0, SMALL))
}
static void found_by_the_driver() {
  float *a = allocate(SMALL);
  void *fill = nullptr;
  CUdriverProcAddressQueryResult result;
  cuGetProcAddress("cuMemsetD8", &fill, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                   &result);
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(((CUresult (*)(CUdeviceptr, unsigned char, size_t))fill)((CUdeviceptr)a, 0, SMALL))
}
// Of a library none are recorded then.
static void found_in_a_library() {
  float *a = allocate(SMALL);
  auto scal =
      (int (*)(void *, int, const float *, float *, int))dlsym(RTLD_DEFAULT, "cublasSscal_v2");
  const float two = 2;
  scale<<<N / 256, 256>>>(a, 2, N);
  PEAK(scal(nullptr, N, &two, a, 1))
}
