// REQUIRES: x86_64
// A buffer that MPI may use after the call is kept (use 2), and a call that may complete what was begun can use what is kept (use 5). Functions whose names begin
// like those of others have their own lines: MPI_Get_accumulate is no MPI_Get_count.
// RUN: %clangxx %gmp -O2 %s %fake -o %t && env FAKE_RUNTIME_USES=1 %t | FileCheck %s
#include <stdio.h>
extern "C" {
int MPI_Get_accumulate(const void *origin, void *result, void *window);
int MPI_Rget_accumulate(const void *origin, void *result, void *window);
int MPI_Accumulate(const void *origin, void *window);
int MPI_Get(void *origin, void *window);
int MPI_Get_address(const void *location, long *address);
int MPI_Get_count(const void *status, const void *type, int *count);
int MPI_Comm_attach_buffer(void *comm, void *buffer, int size);
int MPI_Session_attach_buffer(void *session, void *buffer, int size);
int MPI_Buffer_attach(void *buffer, int size);
int MPI_Comm_size(void *comm, int *size);
int MPI_Comm_flush_buffer(void *comm);
int MPI_Comm_detach_buffer(void *comm, void *address, int *size);
int MPI_Comm_disconnect(void *comm);
int MPI_Finalized(int *flag);
int MPI_Finalize(void);
}
__asm__(".globl MPI_Get_accumulate, MPI_Rget_accumulate, MPI_Accumulate, MPI_Get, MPI_Get_address, MPI_Get_count, MPI_Comm_attach_buffer, MPI_Session_attach_buffer, MPI_Buffer_attach\n"
        ".globl MPI_Comm_size, MPI_Comm_flush_buffer, MPI_Comm_detach_buffer, MPI_Comm_disconnect, MPI_Finalized, MPI_Finalize\n"
        "MPI_Get_accumulate:\nMPI_Rget_accumulate:\nMPI_Accumulate:\nMPI_Get:\nMPI_Get_address:\nMPI_Get_count:\nMPI_Comm_attach_buffer:\nMPI_Session_attach_buffer:\nMPI_Buffer_attach:\n"
        "MPI_Comm_size:\nMPI_Comm_flush_buffer:\nMPI_Comm_detach_buffer:\nMPI_Comm_disconnect:\nMPI_Finalized:\nMPI_Finalize:\n"
        "xor %eax, %eax\nret\n");
__attribute__((noinline)) static void run(void *comm, void *x, void *y) {
  int number;
  long address;
  // CHECK: library use 2 of 1000 2000 10: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Get_accumulate
  MPI_Get_accumulate(x, y, comm);
  // CHECK-NEXT: library use 2 of 1000 2000 10: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Rget_accumulate
  MPI_Rget_accumulate(x, y, comm);
  // CHECK-NEXT: library use 2 of 1000 10: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Accumulate
  MPI_Accumulate(x, comm);
  // CHECK-NEXT: library use 2 of 1000 10: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Get
  MPI_Get(x, comm);
  // CHECK-NEXT: library use 2 of 1000: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Get_address
  MPI_Get_address(x, &address);
  MPI_Get_count(x, y, &number);
  // CHECK-NEXT: library use 2 of 10 1000: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Comm_attach_buffer
  MPI_Comm_attach_buffer(comm, x, 8);
  // CHECK-NEXT: library use 2 of 10 1000: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Session_attach_buffer
  MPI_Session_attach_buffer(comm, x, 8);
  // CHECK-NEXT: library use 2 of 1000: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Buffer_attach
  MPI_Buffer_attach(x, 8);
  MPI_Comm_size(comm, &number);
  // CHECK-NEXT: library use 5 of 10: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Comm_flush_buffer
  MPI_Comm_flush_buffer(comm);
  // CHECK-NEXT: library use 5 of 10 2000: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Comm_detach_buffer
  MPI_Comm_detach_buffer(comm, y, &number);
  // CHECK-NEXT: library use 5 of 10: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Comm_disconnect
  MPI_Comm_disconnect(comm);
  MPI_Finalized(&number);
  // CHECK-NEXT: library use 5 of: {{.*}}:[[#@LINE+1]]:3 in run calls MPI_Finalize
  MPI_Finalize();
}
int main() {
  run((void *)16, (void *)4096, (void *)8192);
  // CHECK-NEXT: done
  puts("done");
}
