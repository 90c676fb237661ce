/* A program that opens a library, both instrumented; which runtime each is linked with is the
 * test's. With a second argument, a child does the library's work once more; with `apart` the
 * library is opened in a namespace of its own, with libraries of its own. */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef LM_ID_NEWLM /* musl has no namespaces */
#define LM_ID_NEWLM 0
#define dlmopen(space, path, how) dlopen(path, how)
#endif

int main(int argc, char **argv) {
  int own = argc > 2 && !strcmp(argv[2], "namespace");
  void *p, *library = own ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW)
                          : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return puts(dlerror()), 3;
  int (*work)(void) = (int (*)(void))dlsym(library, "work");
  if (cudaMalloc(&p, 1 << 20) || work()) return 4;
  if (argc > 2 && !own) {
    pid_t child = fork();
    if (!child) return cudaMalloc(&p, 3 << 20) || work();
    int status = 1;
    waitpid(child, &status, 0);
    if (status) return 5;
  }
  return cudaFree(p);
}
