// REQUIRES: device-code
// What the plugin says of kernels that hide what they touch: nothing that one touches may be missing, with and without optimization.
// RUN: %clangxx %gmp -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -Wno-unknown-cuda-version -Wno-undefined-internal -std=c++17 -O2 -S -emit-llvm %s -o - | %python %inputs/kernel_facts.py | FileCheck %s --match-full-lines
// RUN: %clangxx %gmp -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -Wno-unknown-cuda-version -Wno-undefined-internal -std=c++17 -O0 -S -emit-llvm %s -o - | %python %inputs/kernel_facts.py | FileCheck %s --match-full-lines
#define GLOBAL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device))
#define NEVER_INLINE __attribute__((noinline))
#define SHARED __attribute__((shared))
DEVICE inline unsigned thread() { return __nvvm_read_ptx_sreg_tid_x(); }
typedef unsigned long size;
extern "C" {
DEVICE void *malloc(size);
DEVICE void free(void *);
DEVICE int vprintf(const char *, const char *);
}
struct item { item *next; float value; };
struct slice { float *to; long length; const float *from; };
struct slices { slice part[2]; const int *order; };
struct __attribute__((packed)) record { char tag; float *value; };
union either { float *pointer; size number; };
DEVICE float *kept_pointer;
DEVICE float kept[64];
__attribute__((constant)) float *fixed_pointer;

// ---- what is loaded
GLOBAL walks_a_list(item *list, float *sum) { for (; list; list = list->next) *sum += list->value; }
// CHECK: walks_a_list: r b | LOADED
GLOBAL links_items(item *a, item *b) { a->next = b; }
// CHECK-NEXT: links_items: w u | closed
GLOBAL table_of_pointers(float **rows, int row) { rows[row][thread()] = 1; }
// CHECK-NEXT: table_of_pointers: r  | LOADED
GLOBAL pointer_in_a_variable() { kept_pointer[0] = 1; }
// CHECK-NEXT: pointer_in_a_variable:  | LOADED
GLOBAL pointer_in_a_constant() { fixed_pointer[0] = 1; }
// CHECK-NEXT: pointer_in_a_constant:  | LOADED
GLOBAL variable(float *out) { out[0] = kept[thread()]; kept[1] = 2; }
// CHECK-NEXT: variable: w | closed
GLOBAL copy_of_a_structure(const slice *s, float *out) { slice mine = *s; out[mine.length] = 1; }
// CHECK-NEXT: copy_of_a_structure: r w | closed
GLOBAL pointer_in_a_copy(const slice *s) { slice mine = *s; mine.to[0] = 1; }
// CHECK-NEXT: pointer_in_a_copy: r | LOADED
GLOBAL number_as_a_pointer(const size *numbers) { *(float *)numbers[0] = 1; }
// CHECK-NEXT: number_as_a_pointer: r | LOADED
GLOBAL index_that_is_loaded(const int *index, float *out) { out[index[thread()]] = 1; }
// CHECK-NEXT: index_that_is_loaded: r w | closed

// ---- parameters
GLOBAL by_value(slice s) { s.to[thread()] = s.from[s.length]; }
// CHECK-NEXT: by_value: wNr | closed
GLOBAL chosen_by_index(slices s, int k) { s.part[k].to[s.order[0]] = 2; }
// CHECK-NEXT: chosen_by_index: w6b  | closed
GLOBAL stores_a_structure(slice *out, slice s) { *out = s; }
// CHECK-NEXT: stores_a_structure: w uUu | closed
GLOBAL address_as_number(size address) { *(float *)address = 1; }
// CHECK-NEXT: address_as_number: w | closed
GLOBAL in_a_union(either e) { e.pointer[0] = 1; }
// CHECK-NEXT: in_a_union: w | closed
GLOBAL one_of_two(float *a, float *b, int first) { (first ? a : b)[0] = 1; }
// CHECK-NEXT: one_of_two: w w  | closed
GLOBAL leaves_one(float *a, const float *b) { a[0] = 1; }
// CHECK-NEXT: leaves_one: w n | closed
GLOBAL compares_only(const float *from, const float *end, float *sum) { for (; from != end; ++from) *sum += *from; }
// CHECK-NEXT: compares_only: r r b | closed
GLOBAL may_be_null(float *a, float *b, int k) { float *c = k ? a : nullptr; if (c) c[k] = 1; if (b) b[k] = 2; }
// CHECK-NEXT: may_be_null: b b  | closed

// ---- what is only asked for
GLOBAL asks_for_null(float *to, const float *mask) { to[thread()] = mask ? 2 : 3; }
// CHECK-NEXT: asks_for_null: w r | closed
GLOBAL asks_which_is_first(int *to, const float *a, const float *b) { *to = a < b; }
// CHECK-NEXT: asks_which_is_first: w r r | closed
GLOBAL asks_for_alignment(float *to, const float *a) { if (((size)a & 15) == 0) *to = 1; }
// CHECK-NEXT: asks_for_alignment: w r | closed
GLOBAL asks_for_one_bit(float *to, const float *a) { *to = (size)a & 1 ? 2 : 3; }
// CHECK-NEXT: asks_for_one_bit: w r | closed
GLOBAL asks_for_several_bits(float *to, const float *a) { switch ((size)a >> 4 & 3) { case 0: to[0] = 1; break; case 1: to[1] = 2; break; case 3: to[2] = 5; } }
// CHECK-NEXT: asks_for_several_bits: w r | closed
GLOBAL asks_how_many(int *to, const float *from, const float *end) { int n = (int)(end - from); for (int i = 0; i < n; i += 3) to[i] = 1; }
// CHECK-NEXT: asks_how_many: w r r | closed
GLOBAL asks_in_a_structure(slice s) { if (s.from && s.length > 3) s.to[thread()] = 1; }
// CHECK-NEXT: asks_in_a_structure: wRr | closed
GLOBAL asks_for_a_number(float *to, size mask) { if (mask) *to = 1; }
// CHECK-NEXT: asks_for_a_number: w R | closed
GLOBAL asks_atomically(size *lock, const float *owner) { size known = (size)owner; __atomic_compare_exchange_n(lock, &known, (size)0, false, 0, 0); }
// CHECK-NEXT: asks_atomically: b r | closed
GLOBAL asks_in_assembly(int *to, const float *mask) { int x; asm("{ .reg .pred p; setp.eq.u64 p, %1, 0; selp.u32 %0, 1, 0, p; }" : "=r"(x) : "l"(mask)); *to = x; }
// CHECK-NEXT: asks_in_assembly: w {{[ru]}} | closed
GLOBAL asks_and_branches_in_assembly(int *to, const float *mask) { asm volatile("{ .reg .pred p; setp.eq.u64 p, %0, 0; @p trap; }" ::"l"(mask)); *to = 1; }
// CHECK-NEXT: asks_and_branches_in_assembly: w r | closed

// ---- memory of the thread and of the block
GLOBAL array_of_pointers(float *a, float *b, int k) { float *both[2] = {a, b}; both[k & 1][0] = 1; }
// CHECK-NEXT: array_of_pointers: w w  | closed
GLOBAL cleared_array(float *a, int k) { float *both[8]; __builtin_memset(both, 0, sizeof both); both[k & 7] = a; if (both[0]) both[0][1] = 1; }
// CHECK-NEXT: cleared_array: {{[wb]}}  | closed
GLOBAL pointer_in_shared_memory(float *a) { SHARED float *common; if (!thread()) common = a; __nvvm_bar_sync(0); common[thread()] = 1; }
// CHECK-NEXT: pointer_in_shared_memory: w | closed
GLOBAL index_in_shared_memory(const int *a, float *b) { SHARED int order[32]; order[thread()] = a[thread()]; __nvvm_bar_sync(0); b[order[0]] = 1; }
// CHECK-NEXT: index_in_shared_memory: r w | closed
GLOBAL list_in_shared_memory(item *a) { SHARED item *common; common = a->next; __nvvm_bar_sync(0); common->value = 1; }
// CHECK-NEXT: list_in_shared_memory: r | LOADED
GLOBAL heap(float *a) { float *mine = (float *)malloc(64); mine[thread()] = a[0]; a[1] = mine[0]; free(mine); }
// CHECK-NEXT: heap: b | closed
GLOBAL pointer_on_the_heap(float *a) { float *volatile *mine = (float *volatile *)malloc(64); mine[0] = a; mine[0][0] = 1; }
// CHECK-NEXT: pointer_on_the_heap: u | LOADED
GLOBAL copies(float *a, const float *b, int n) { __builtin_memcpy(a, b, n); }
// CHECK-NEXT: copies: w r  | closed
GLOBAL fills(float *a, int n) { __builtin_memset(a, 1, n); }
// CHECK-NEXT: fills: w  | closed

// ---- arithmetic
GLOBAL links_by_xor(float *a, size key) { ((float *)((size)a ^ key))[0] = 1; }
// CHECK-NEXT: links_by_xor: w W | OFFSET NUMBER
GLOBAL one_from_the_other(float *a, float *b) { long away = b - a; a[away] = 1; }
// CHECK-NEXT: one_from_the_other: w w | OFFSET
GLOBAL stores_a_difference(float *a, float *b, long *away) { *away = b - a; }
// CHECK-NEXT: stores_a_difference: u u w | closed
GLOBAL stores_a_multiple(float *a, size *to) { *to = (size)a * 3; }
// CHECK-NEXT: stores_a_multiple: u w | closed
GLOBAL stores_half(float *a, unsigned *to) { *to = (unsigned)((size)a >> 32); }
// CHECK-NEXT: stores_half: u w | closed
GLOBAL from_two_halves(float *a, float *b) { size h = (size)a >> 32 << 32, l = (unsigned)(size)b; *(float *)(h | l) = 1; }
// CHECK-NEXT: from_two_halves: w w | OFFSET{{( NUMBER)?}}
GLOBAL aligned(float *a) { *(float *)((size)a & ~(size)127) = 1; }
// CHECK-NEXT: aligned: w | closed
GLOBAL fixed_address() { *(volatile float *)0x12345678 = 1; }
// CHECK-NEXT: fixed_address:  | NUMBER
GLOBAL low_bits_of_an_address(float *a, size key) { *(float *)(key + ((size)a & 7)) = 1; }
// CHECK-NEXT: low_bits_of_an_address: w w | OFFSET
GLOBAL index_from_an_address(float *a, float *b) { a[(size)b & 255] = 1; }
// CHECK-NEXT: index_from_an_address: w w | OFFSET
GLOBAL tag_in_a_table(const size *table, float *out) { *out = *(const float *)(table[thread()] & 0xffffffffffffull); }
// CHECK-NEXT: tag_in_a_table: r w | NUMBER
GLOBAL tag_in_a_pointer(float *const *table, float *out) { *out = *(const float *)((size)table[thread()] & 0xffffffffffffffull); }
// CHECK-NEXT: tag_in_a_pointer: r w | OFFSET NUMBER
GLOBAL tag_is_subtracted(const size *table, float *out) { *out = *(const float *)(table[thread()] - (5ull << 48)); }
// CHECK-NEXT: tag_is_subtracted: r w | NUMBER
GLOBAL tag_in_a_parameter(size tagged) { *(float *)(tagged & 0xffffffffffffull) = 1; }
// CHECK-NEXT: tag_in_a_parameter: W | OFFSET NUMBER
GLOBAL mask_in_a_parameter(size tagged, size mask) { *(float *)(tagged & mask) = 1; }
// CHECK-NEXT: mask_in_a_parameter: w w | OFFSET NUMBER
GLOBAL aligned_after_it_is_loaded(const size *table) { *(float *)(table[0] & ~(size)255) = 1; }
// CHECK-NEXT: aligned_after_it_is_loaded: r | LOADED
GLOBAL aligned_as_a_pointer(float *a) { __builtin_align_down(a, 256)[0] = 1; }
// CHECK-NEXT: aligned_as_a_pointer: w | closed
GLOBAL masked_index(const size *table, float *out) { out[table[thread()] & 0xfffffffffull] = 1; }
// CHECK-NEXT: masked_index: r w | closed

// ---- structures without padding
GLOBAL stores_a_record(record *a, record b) { *a = b; }
// CHECK-NEXT: stores_a_record: w {{U2|UU}} | closed
GLOBAL uses_a_record(record a) { *a.value = 1; }
// CHECK-NEXT: uses_a_record: {{W2|WW}} | OFFSET NUMBER
GLOBAL follows_a_record(const record *a) { *a->value = 1; }
// CHECK-NEXT: follows_a_record: r | LOADED NUMBER
GLOBAL follows_a_copy_of_a_record(const record *a) { record b = *a; *b.value = 1; }
// CHECK-NEXT: follows_a_copy_of_a_record: r | LOADED NUMBER
GLOBAL copies_records(record *a, const record *b) { *a = *b; }
// CHECK-NEXT: copies_records: w r | closed

// ---- calls
DEVICE NEVER_INLINE void copies_one(float *to, const float *from) { to[0] = from[0]; }
GLOBAL calls_a_function(float *a, float *b, float *c) { copies_one(a, b); copies_one(b, c); }
// CHECK-NEXT: calls_a_function: w b r | closed
DEVICE NEVER_INLINE float *picks(float *a, float *b, int first) { return first ? a : b; }
GLOBAL uses_what_is_returned(float *a, float *b, int first) { picks(a, b, first)[0] = 1; }
// CHECK-NEXT: uses_what_is_returned: w w  | closed
DEVICE NEVER_INLINE void swaps(float **a, float **b) { float *c = *a; *a = *b; *b = c; }
GLOBAL calls_by_reference(float *a, const float *b) { float *x = a, *y = (float *)b; swaps(&x, &y); x[0] = 1; }
// CHECK-NEXT: calls_by_reference: w w | closed
DEVICE NEVER_INLINE int descends(float *a, int n) { if (n <= 0) return 0; a[n] = 1; return descends(a + 1, n - 1) + descends(a, n - 2); }
GLOBAL calls_itself(float *a, int n, int *sum) { *sum = descends(a, n); }
// CHECK-NEXT: calls_itself: w  w | closed
DEVICE NEVER_INLINE void by_value_once_more(slice s) { s.to[0] = s.from[0]; s.to = nullptr; }
GLOBAL passes_a_structure(slice s) { by_value_once_more(s); }
// CHECK-NEXT: passes_a_structure: wNr | closed
GLOBAL passes_what_it_loads(const slice *s) { by_value_once_more(*s); }
// CHECK-NEXT: passes_what_it_loads: r | LOADED
GLOBAL calls_a_pointer(float *a, float (*f)(float *)) { a[0] = f(a); }
// CHECK-NEXT: calls_a_pointer: u {{[nu]}} | POINTER
DEVICE void elsewhere(float *);
DEVICE float *where();
GLOBAL calls_another_file(float *a, float *b) { elsewhere(a); b[0] = 1; }
// CHECK-NEXT: calls_another_file: u w | UNKNOWN _Z9elsewherePf
GLOBAL address_of_another_file() { where()[0] = 1; }
// CHECK-NEXT: address_of_another_file:  | UNKNOWN RESULT _Z5wherev
DEVICE __attribute__((weak)) void replaced(float *a) { a[0] = 1; }
GLOBAL calls_what_may_be_replaced(float *a) { replaced(a); }
// CHECK-NEXT: calls_what_may_be_replaced: u | UNKNOWN _Z8replacedPf
GLOBAL structure_goes_elsewhere(slice s) { slice mine = s; elsewhere((float *)&mine); }
// CHECK-NEXT: structure_goes_elsewhere: uUu | UNKNOWN _Z9elsewherePf
extern "C" DEVICE int cudaLaunchDeviceV2(void *parameters, void *stream);
extern "C" DEVICE void *cudaGetParameterBufferV2(void *, int);
GLOBAL launches(float *a) { void *p = cudaGetParameterBufferV2(0, 1); *(float **)p = a; cudaLaunchDeviceV2(p, 0); }
// CHECK-NEXT: launches: u | LAUNCH RESULT{{.*}}
GLOBAL prints_numbers(const float *a) { double value = a[0]; vprintf("%f%%s\n", (const char *)&value); }
// CHECK-NEXT: prints_numbers: r | closed
GLOBAL prints_a_string(const char *a) { vprintf("%-10s\n", (const char *)&a); }
// CHECK-NEXT: prints_a_string: r | closed
GLOBAL prints_a_loaded_string(const char **a) { const char *text = a[0]; vprintf("%s", (const char *)&text); }
// CHECK-NEXT: prints_a_loaded_string: r | PRINT

// ---- intrinsics and assembly
GLOBAL adds_atomically(int *a, int *b) { __nvvm_atom_add_gen_i(a, *b); }
// CHECK-NEXT: adds_atomically: b r | closed
GLOBAL exchanges_addresses(size *a, float *b) { __nvvm_atom_xchg_gen_l((long *)a, (long)b); }
// CHECK-NEXT: exchanges_addresses: b u | closed
GLOBAL assembly_stores(float *a, float *b) { asm volatile("st.global.f32 [%0+4], %1;" ::"l"(a), "f"(b[0]) : "memory"); }
// CHECK-NEXT: assembly_stores: w r | closed
GLOBAL assembly_loads(float *a, const int *b) { int i; asm volatile("@!p bra x; ld.global.nc.u32 %0, [%1];" : "=r"(i) : "l"(b)); a[i] = 1; }
// CHECK-NEXT: assembly_loads: w r | closed
GLOBAL assembly_stores_an_address(float **a, float *b) { asm volatile("st.global.u64 [%0], %1;" ::"l"(a), "l"(b) : "memory"); }
// CHECK-NEXT: assembly_stores_an_address: w u | closed
GLOBAL assembly_loads_an_address(float **a) { float *b; asm volatile("ld.global.u64 %0, [%1];" : "=l"(b) : "l"(a)); b[0] = 1; }
// CHECK-NEXT: assembly_loads_an_address: r | LOADED
GLOBAL assembly_subtracts(float *a, float *b) { long away; asm("sub.s64 %0, %1, %2;" : "=l"(away) : "l"(b), "l"(a)); *(float *)((char *)a + away) = 1; }
// CHECK-NEXT: assembly_subtracts: w w | OFFSET
GLOBAL assembly_links_by_xor(float *a, size key) { asm("xor.b64 %0, %0, %1;" : "+l"(a) : "l"(key)); a[0] = 1; }
// CHECK-NEXT: assembly_links_by_xor: w w | OFFSET NUMBER
GLOBAL assembly_loads_and_moves(float **a) { float *b; asm volatile("{ .reg .u64 t; ld.global.u64 t, [%1]; mov.u64 %0, t; }" : "=l"(b) : "l"(a)); b[0] = 1; }
// CHECK-NEXT: assembly_loads_and_moves: b | LOADED OFFSET NUMBER
GLOBAL assembly_in_a_register(float *a, float *b) { asm volatile("{ .reg .u64 t; add.u64 t, %0, 16; st.global.f32 [t], 0; }" ::"l"(a), "l"(b) : "memory"); }
// CHECK-NEXT: assembly_in_a_register: u w | closed
GLOBAL assembly_in_a_variable(float *a) { asm volatile("st.global.u64 [kept_pointer], %0;" ::"l"(a) : "memory"); }
// CHECK-NEXT: assembly_in_a_variable: u | closed
GLOBAL assembly_stores_by_a_register(float **a, float *b) { asm volatile("{ .reg .u64 t; cvta.to.global.u64 t, %0; st.global.u64 [t], %1; }" ::"l"(a), "l"(b) : "memory"); }
// CHECK-NEXT: assembly_stores_by_a_register: u u | closed
GLOBAL assembly_stores_itself(float **a) { asm volatile("st.global.u64 [%0], %0;" ::"l"(a) : "memory"); }
// CHECK-NEXT: assembly_stores_itself: u | closed
GLOBAL assembly_with_comments(float **a, float *b) { asm volatile("/* a store; of b */ st.global.u64 [%0], %1; // to a" ::"l"(a), "l"(b) : "memory"); }
// CHECK-NEXT: assembly_with_comments: w u | closed
GLOBAL assembly_follows(float **a) { float f; asm volatile("{ .reg .u64 t; ld.global.u64 t, [%1]; ld.global.f32 %0, [t]; }" : "=f"(f) : "l"(a)); }
// CHECK-NEXT: assembly_follows: u | LOADED{{.*}}
GLOBAL assembly_follows_twice(float **a) { asm volatile("ld.global.u64 %0, [%0]; ld.global.u64 %0, [%0];" : "+l"(a)); }
// CHECK-NEXT: assembly_follows_twice: u | LOADED{{.*}}
GLOBAL assembly_reads_by_a_register(const float *a, float *b, int i) { float f; asm("{ .reg .u64 t; mad.wide.s32 t, %2, 4, %1; ld.global.f32 %0, [t]; }" : "=f"(f) : "l"(a), "r"(i)); if (f > 3) *b = 1; }
// CHECK-NEXT: assembly_reads_by_a_register: r w  | closed
GLOBAL assembly_copies_shared_memory(char *a, float *b) { SHARED float *from[2]; from[0] = b; asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::"l"(a), "r"((unsigned)(size)from) : "memory"); }
// CHECK-NEXT: assembly_copies_shared_memory: w u | closed
GLOBAL assembly_adds(int *a) { int i = 0; asm volatile("red.global.add.s32 [%0], %1;" ::"l"(a), "r"(i) : "memory"); }
// CHECK-NEXT: assembly_adds: b | closed
GLOBAL assembly_copies(const float *a) { SHARED float to[32]; asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n cp.async.wait_all;" ::"r"((unsigned)(size)to), "l"(a)); }
// CHECK-NEXT: assembly_copies: r | closed
GLOBAL assembly_by_tensor_map(const void *map) { asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile [%0], [%1, {%0}], [%0];" ::"r"(0), "l"(map)); }
// CHECK-NEXT: assembly_by_tensor_map: u | TENSOR_MAP{{.*}}
GLOBAL assembly_is_not_known(float *a) { asm volatile("newest.global.f32 [%0];" ::"l"(a) : "memory"); }
// CHECK-NEXT: assembly_is_not_known: u | INSTRUCTION newest.global.f32
GLOBAL assembly_calls(float *a) { asm volatile("call (), f, (%0);" ::"l"(a) : "memory"); }
// CHECK-NEXT: assembly_calls: u | POINTER{{.*}}
GLOBAL assembly_reads_a_texture(size texture, float *a) { asm volatile("{ .reg .f32 r<4>; tex.1d.v4.f32.s32 {%0, r1, r2, r3}, [%1, {0}]; }" : "=f"(*a) : "l"(texture)); }
// CHECK-NEXT: assembly_reads_a_texture: {{[Uu]}} w | TEXTURE{{.*}}
GLOBAL assembly_makes_a_shared_address(float *a) {
  float *inside;
  asm("{ .reg .u64 t; .reg .u32 o; mov.u32 o, %%reserved_smem_offset_1; cvt.u64.u32 t, o; cvta.shared.u64 %0, t; }" : "=l"(inside));
  inside[thread()] = a[0];
}
// CHECK-NEXT: assembly_makes_a_shared_address: r | closed
GLOBAL assembly_moves_an_address(float *a) { size b; asm("cvta.to.global.u64 %0, %1;" : "=l"(b) : "l"(a)); *(float *)b = 1; }
// CHECK-NEXT: assembly_moves_an_address: w | closed
GLOBAL assembly_chooses(float *a, float *b) { asm("selp.b64 %0, %1, %2, 1;" : "=l"(a) : "l"(a), "l"(b)); a[0] = 1; }
// CHECK-NEXT: assembly_chooses: w w | closed
GLOBAL waits_for_the_grid(float *a) {
  unsigned low, high;
  asm("mov.u32 %0, %%envreg1;" : "=r"(low));
  asm("mov.u32 %0, %%envreg2;" : "=r"(high));
  __nvvm_atom_add_gen_i((int *)((size)high << 32 | low), 1);
  a[0] = 1;
}
// CHECK-NEXT: waits_for_the_grid: w | {{closed|NUMBER}}

// ---- lambdas and templates
template <class F> __attribute__((global)) void applies(F f, int n) { if (thread() < n) f(thread()); }
template <class T> __attribute__((global)) void moves(T *to, const T *from) { *to = *from; }
template __attribute__((global)) void moves<float>(float *, const float *);
template __attribute__((global)) void moves<float *>(float **, float *const *);
int __cudaPushCallConfiguration(...);
void host(float *a, const float *b) { auto f = [=] DEVICE(int i) { a[i] = b[i]; }; (void)(void (*)(decltype(f), int))applies<decltype(f)>; }
// CHECK-DAG: _Z5movesIfEvPT_PKS0_: w r | closed
// CHECK-DAG: _Z5movesIPfEvPT_PKS1_: w r | closed
// CHECK-DAG: _Z7appliesI{{.*}}: wr  | closed
