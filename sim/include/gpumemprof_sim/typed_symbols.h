/* typed_symbols.h - calls that take a variable of device memory itself, not its address. Included
 * by cuda_runtime.h. */
#ifndef GPUMEMPROF_SIM_TYPED_SYMBOLS_H
#define GPUMEMPROF_SIM_TYPED_SYMBOLS_H

#pragma GCC system_header

template <class T> static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) {
  return ::cudaGetSymbolAddress(p, static_cast<const void *>(&symbol));
}

template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
  return ::cudaGetSymbolSize(size, static_cast<const void *>(&symbol));
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t size,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol(static_cast<const void *>(&symbol), from, size, offset, kind);
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t size,
                                                  size_t offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync(static_cast<const void *>(&symbol), from, size, offset, kind,
                                   stream);
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t size,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(to, static_cast<const void *>(&symbol), size, offset, kind);
}

template <class T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t size, size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                          cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(to, static_cast<const void *>(&symbol), size, offset, kind,
                                     stream);
}

#endif /* GPUMEMPROF_SIM_TYPED_SYMBOLS_H */
