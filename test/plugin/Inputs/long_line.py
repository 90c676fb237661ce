"""A generated source: four thousand calls on one line of some 300 KB."""

print('#include "cuda.h"')
print("void *p;")
print("void all() { " + "".join(f"cudaMalloc(&p, {i} + {'1' * 8} * sizeof(long) - sizeof(long) * 4); " for i in range(4000)) + "}")
