// Work that one scope hands to pool threads: charged to that scope's line and counted in its own
// peak. With an argument, ends by SIGKILL while both jobs hold their memory; with two, nothing is
// attached.
#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>

#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

constexpr size_t KIB = 1024;
static bool killed, detached;

class Meeting { // both come before either goes on
  std::mutex lock;
  std::condition_variable changed;
  int here = 0;

public:
  void wait() {
    std::unique_lock<std::mutex> guard(lock);
    here++;
    changed.notify_all();
    changed.wait(guard, [this] { return here % 2 == 0; });
  }
};

struct Job {
  std::function<void()> run;
  gpumemprof_context *context;
};

class Pool {
  std::mutex lock;
  std::condition_variable changed;
  std::deque<Job> jobs;
  int busy = 0;
  bool ends = false;
  std::vector<std::thread> threads;

  void work() {
    char *scratch;
    cudaMalloc(&scratch, 8 * KIB); // the pool's own
    std::unique_lock<std::mutex> guard(lock);
    for (;;) {
      changed.wait(guard, [this] { return ends || !jobs.empty(); });
      if (jobs.empty()) break;
      Job job = std::move(jobs.front());
      jobs.pop_front();
      guard.unlock();
      {
        GPUMEMPROF_ATTACH(detached ? nullptr : job.context);
        gpumemprof_context_release(job.context);
        job.run();
      }
      guard.lock();
      busy--;
      changed.notify_all();
    }
    cudaFree(scratch);
  }

public:
  Pool() {
    for (int i = 0; i < 2; i++) threads.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> guard(lock);
      ends = true;
    }
    changed.notify_all();
    for (std::thread &thread : threads) thread.join();
  }
  void submit(std::function<void()> run, gpumemprof_context *context) {
    std::lock_guard<std::mutex> guard(lock);
    jobs.push_back({std::move(run), context});
    busy++;
    changed.notify_all();
  }
  void finish() {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [this] { return busy == 0; });
  }
};

static Meeting meeting;

static void decode(size_t bytes) {
  char *p;
  cudaMalloc(&p, bytes);
  meeting.wait();
  if (killed) std::raise(SIGKILL);
  cudaFree(p);
}

static void load(Pool &pool) {
  char *own;
  cudaMalloc(&own, 16 * KIB);
  pool.submit([] { decode(64 * KIB); }, gpumemprof_context_capture());
  pool.submit([] { decode(192 * KIB); }, gpumemprof_context_capture());
  pool.finish();
  cudaFree(own);
}

int main(int argc, char **) {
  killed = argc == 2;
  detached = argc > 2;
  Pool pool;
  for (int i = 0; i < 3; i++) load(pool);
  return 0;
}
