static float *make(size_t n) { float *p; cudaMalloc((void **)&p, n); return p; }
static void step(float *old) {
  float *a = make(100 MiB);
  float *b = make(50 MiB);
  cudaFree(b);
  cudaFree(old);
  keep(a);                       /* stored; freed at line 13 */
}
int main(void) {
  float *x = make(200 MiB);
  step(x);
  float *y = make(30 MiB);
  cudaFree(kept);
  return 0;                      /* y leaks */
}
