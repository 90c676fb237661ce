/* grow.h - a library that CMake imports: -isystem. */
#ifdef __cplusplus
extern "C" {
#endif
int cuGrowBuffer(unsigned long n);
int cudaGrowBuffer(unsigned long n);
#ifdef __cplusplus
}
#endif
