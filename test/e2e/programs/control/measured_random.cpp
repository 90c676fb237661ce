// measured_random SEED THREADS: random scopes, measured, nested and left in every way, beside a
// second count that updates every open scope at every event. Says how many results it
// compared, by the way they were left; status 1 and a sentence at the first difference.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
#include <mutex>
#include <pthread.h>
#include <random>
#include <thread>
#include <vector>

namespace {

struct Block {
  void *p;
  int kind;
  uint64_t bytes, requested;
};
struct Model { // what a measured scope should say
  uint64_t handle = 0, allocated = 0, freed = 0;
  int64_t net = 0, own_peak = 0;
  uint64_t device_peak = 0, at_entry = 0, peak_pinned = 0;
  gpumemprof_amount created[GPUMEMPROF_KINDS] = {}, ended[GPUMEMPROF_KINDS] = {};
  bool open = false;
  int thread = 0;
};

std::mutex turn;
std::vector<Block> blocks;
std::vector<Model *> scopes; // open, of all threads
uint64_t total, requested, pinned;
unsigned long compared[6];
int threads;

bool on_device(int kind) {
  return kind != GPUMEMPROF_KIND_PINNED;
}

void fail(const char *what, unsigned long long is, unsigned long long should) {
  std::fprintf(stderr, "%s is %llu, not %llu\n", what, is, should);
  std::_Exit(1);
}
void same(const char *what, uint64_t is, uint64_t should) {
  if (is != should) fail(what, is, should);
}

void moved(int thread, const Block &b, int sign) {
  if (on_device(b.kind)) {
    total += sign * b.bytes;
    requested += sign * b.requested;
  } else pinned += sign * b.bytes;
  for (Model *m : scopes) {
    if (m->device_peak < total) m->device_peak = total, m->peak_pinned = pinned;
    if (m->thread != thread) continue;
    gpumemprof_amount &by_kind = sign > 0 ? m->created[b.kind] : m->ended[b.kind];
    by_kind.bytes += b.bytes;
    by_kind.blocks++;
    if (!on_device(b.kind)) continue;
    (sign > 0 ? m->allocated : m->freed) += b.bytes;
    m->net += sign * (int64_t)b.bytes;
    if (m->net > m->own_peak) m->own_peak = m->net;
  }
}

void close_model(Model *m) {
  m->open = false;
  std::erase(scopes, m);
}

void compare(Model *m, unsigned left) {
  gpumemprof_result r;
  if (!gpumemprof_scope_end(m->handle, &r)) fail("scope_end", 0, 1);
  same("left", r.left, left);
  same("allocated", r.allocated, m->allocated);
  same("freed", r.freed, m->freed);
  same("net", (uint64_t)r.net, (uint64_t)m->net);
  same("own peak", r.own_peak, (uint64_t)m->own_peak);
  same("before", r.before.acquired, m->at_entry);
  same("peak", r.peak.acquired, r.device_peak);
  same("device peak above entry", r.device_peak_above_entry, r.device_peak - m->at_entry);
  if (threads == 1 || left == GPUMEMPROF_LEFT_BY_END) {
    same("device peak", r.device_peak, m->device_peak);
    same("pinned at peak", r.peak.pinned, m->peak_pinned);
  } else if (r.device_peak < m->device_peak) // others had their turn before it ended
    fail("device peak", r.device_peak, m->device_peak);
  for (int kind = 0; kind < GPUMEMPROF_KINDS; kind++) {
    same("created", r.created[kind].bytes, m->created[kind].bytes);
    same("created blocks", r.created[kind].blocks, m->created[kind].blocks);
    same("ended", r.ended[kind].bytes, m->ended[kind].bytes);
    same("ended blocks", r.ended[kind].blocks, m->ended[kind].blocks);
  }
  same("wall time", r.wall_ns, r.after.time_ns - r.before.time_ns);
  if (gpumemprof_scope_end(m->handle, &r)) fail("a second scope_end", 1, 0);
  compared[left]++;
}

void compare_now() {
  struct gpumemprof_snapshot s;
  if (!gpumemprof_snapshot(&s, GPUMEMPROF_CURRENT_DEVICE, 0)) fail("snapshot", 0, 1);
  same("acquired", s.acquired, total);
  same("requested", s.requested, requested);
  same("pinned", s.pinned, pinned);
  uint64_t count = 0, bytes = 0;
  for (int kind = 0; kind < GPUMEMPROF_KINDS; kind++)
    if (kind != GPUMEMPROF_KIND_PINNED) count += s.live[kind].blocks, bytes += s.live[kind].bytes;
  same("sum of kinds", bytes, total);
  same("blocks", s.blocks, count);
  same("all blocks", count + s.live[GPUMEMPROF_KIND_PINNED].blocks, blocks.size());
}

struct Player {
  int thread;
  std::mt19937 random;
  int fuel;
  unsigned pick(unsigned n) { return random() % n; }

  void release() {
    if (blocks.empty()) return;
    size_t i = pick(blocks.size());
    Block b = blocks[i];
    if (b.kind == GPUMEMPROF_KIND_PINNED ? cudaFreeHost(b.p) : cudaFree(b.p)) std::_Exit(3);
    blocks[i] = blocks.back();
    blocks.pop_back();
    moved(thread, b, -1);
  }
  void pitched() {
    Block b = {};
    size_t width = 100 + pick(600), height = 1 + pick(9), pitch = 0;
    if (cudaMallocPitch(&b.p, &pitch, width, height)) return;
    b.kind = GPUMEMPROF_KIND_DEVICE;
    b.bytes = pitch * height;
    b.requested = width * height;
    blocks.push_back(b);
    moved(thread, b, 1);
  }
  void plain() {
    Block b = {};
    size_t size = (1 + pick(40)) * 512;
    b.bytes = b.requested = size;
    switch (pick(4)) {
    case 0:
      b.kind = GPUMEMPROF_KIND_PINNED;
      if (cudaMallocHost(&b.p, size)) return;
      break;
    case 1:
      b.kind = GPUMEMPROF_KIND_MANAGED;
      if (cudaMallocManaged(&b.p, size)) return;
      break;
    default:
      b.kind = GPUMEMPROF_KIND_DEVICE;
      if (cudaMalloc(&b.p, size)) return;
    }
    blocks.push_back(b);
    moved(thread, b, 1);
  }
  void event() {
    std::lock_guard<std::mutex> lock(turn);
    unsigned what = pick(10);
    if (what < 4) plain();
    else if (what < 5) pitched();
    else if (what < 6) cudaFree((void *)(uintptr_t)0x1230); // fails: taken back
    else release();
    cudaGetLastError();
    if (pick(16) == 0) compare_now();
  }

  void begin(Model *m, const char *name) {
    std::lock_guard<std::mutex> lock(turn);
    m->thread = thread;
    m->handle = gpumemprof_scope_begin(name);
    if (!m->handle) fail("scope_begin", 0, 1);
    m->device_peak = m->at_entry = total;
    m->peak_pinned = pinned;
    m->open = true;
    scopes.push_back(m);
  }
  void end(Model *m, unsigned left) {
    std::lock_guard<std::mutex> lock(turn);
    if (m->open) close_model(m);
    compare(m, left);
  }
  void closes(Model *m) { // its function leaves now
    std::lock_guard<std::mutex> lock(turn);
    close_model(m);
  }

  // A measured function; mine: the caller's, to look at what is left behind.
  __attribute__((noinline)) void level(int depth, Model *m, unsigned way) {
    begin(m, way == GPUMEMPROF_LEFT_BY_END ? "ended" : "left");
    for (int n = (int)pick(6); n >= 0 && fuel > 0; n--, fuel--) {
      event();
      if (depth < 12 && pick(3) == 0) call(depth + 1);
    }
    if (pick(4) == 0) below();
    switch (way) {
    case GPUMEMPROF_LEFT_BY_END:
      end(m, way);
      return;
    case GPUMEMPROF_LEFT_BY_RETURN:
      if (m->open) closes(m);
      return;
    case GPUMEMPROF_LEFT_BY_EXCEPTION:
      if (m->open) closes(m);
      throw way;
    default:
      if (m->open) closes(m);
      std::longjmp(*back, 1);
    }
  }
  std::jmp_buf *back = nullptr;

  // A scope inside that of its caller, which goes on.
  __attribute__((noinline)) void below() {
    Model m;
    begin(&m, "below");
    event();
    end(&m, GPUMEMPROF_LEFT_BY_END);
  }

  __attribute__((noinline)) void call(int depth) {
    Model *m = new Model;
    unsigned way = 1 + pick(4);
    if (way == GPUMEMPROF_LEFT_BY_EXCEPTION) {
      try {
        level(depth, m, way);
      } catch (unsigned) {
      }
    } else if (way == GPUMEMPROF_LEFT_BY_LONGJMP) {
      std::jmp_buf here, *before = back;
      back = &here;
      if (!setjmp(here)) level(depth, m, way);
      back = before;
    } else level(depth, m, way);
    if (way != GPUMEMPROF_LEFT_BY_END) end(m, way);
    delete m;
  }
};

void play(int thread, unsigned seed) {
  Player player{thread, std::mt19937(seed * 31 + thread), 3000};
  while (player.fuel > 0) player.call(0);
}

// Its scope is still open when it ends.
void *ends_with_a_scope(void *model) {
  Model *m = static_cast<Model *>(model);
  Player player{99, std::mt19937(7), 0};
  player.begin(m, "thread");
  for (int i = 0; i < 20; i++) player.event();
  player.closes(m);
  pthread_exit(nullptr);
}

} // namespace

int main(int argc, char **argv) {
  unsigned seed = argc > 1 ? (unsigned)std::atoi(argv[1]) : 1;
  threads = argc > 2 ? std::atoi(argv[2]) : 1;
  if (threads == 1) play(0, seed);
  else {
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++) all.emplace_back(play, i, seed);
    for (std::thread &t : all) t.join();
    Model m;
    pthread_t thread;
    pthread_create(&thread, nullptr, ends_with_a_scope, &m);
    pthread_join(thread, nullptr);
    Player{0, std::mt19937(1), 0}.end(&m, GPUMEMPROF_LEFT_BY_THREAD);
  }
  compare_now();
  std::printf("end %lu return %lu exception %lu longjmp %lu thread %lu\n", compared[1], compared[2],
              compared[3], compared[4], compared[5]);
  return 0;
}
