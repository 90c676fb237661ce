// addresses: the address of a CUDA function, as a program, a second file of it and a library have
// it. -DLIBRARY and -DOTHER_FILE compile the other two.
#include <cuda_runtime.h>

using allocator = cudaError_t (*)(void **, size_t);
using deleter = cudaError_t (*)(void *);

struct Functions {
  allocator get;
  deleter put;
};

#if defined LIBRARY
extern "C" Functions functions_of_library() {
  return {cudaMalloc, cudaFree};
}
#elif defined OTHER_FILE
extern const Functions functions_of_other_file = {cudaMalloc, cudaFree};
deleter deleter_of_other_file() {
  return cudaFree;
}
#else
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>

extern const Functions functions_of_other_file;
deleter deleter_of_other_file();
extern "C" Functions functions_of_library();

static const Functions table[] = {{cudaMalloc, cudaFree}};
inline constexpr deleter in_a_header = cudaFree;
static thread_local deleter of_a_thread = &cudaFree;
template <auto Function> struct Holder {
  deleter held = Function;
};

static bool is_cuda_free(deleter function) {
  return function == cudaFree;
}

int main() {
  deleter local = cudaFree;
  std::function<cudaError_t(void *)> wrapped = cudaFree;
  std::unique_ptr<void, deleter> owner(nullptr, cudaFree);
  const deleter *target = wrapped.target<deleter>();
  bool equal = is_cuda_free(local) && is_cuda_free(table[0].put) && is_cuda_free(in_a_header) &&
               is_cuda_free(of_a_thread) && is_cuda_free(Holder<&cudaFree>().held) &&
               is_cuda_free(owner.get_deleter()) && target && is_cuda_free(*target) &&
               is_cuda_free(functions_of_other_file.put) && is_cuda_free(deleter_of_other_file()) &&
               reinterpret_cast<uintptr_t>(local) == reinterpret_cast<uintptr_t>(cudaFree) &&
               table[0].get == functions_of_other_file.get;
  std::printf("%s\n", equal ? "equal" : "different");
  Functions theirs = functions_of_library();
  void *block = nullptr;
  theirs.get(&block, 5000);  // line 57
  table[0].put(block);       // line 58
  table[0].get(&block, 600); // line 59
  theirs.put(block);         // line 60
  return 0;
}
#endif
