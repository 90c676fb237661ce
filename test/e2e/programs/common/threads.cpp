// Threads that take turns, free what others allocated, and end with memory still live. Activity
// counts for the thread, ownership for the scope that allocated.
#include "../oracle/oracle.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex turn_lock;
static std::condition_variable turn_moved;
static int turn;

static void wait_for(int mine) {
  std::unique_lock<std::mutex> guard(turn_lock);
  turn_moved.wait(guard, [&] { return turn == mine; });
}
static void next() {
  std::lock_guard<std::mutex> guard(turn_lock);
  turn++;
  turn_moved.notify_all();
}

static char *shared[4];

__attribute__((noinline)) static void produce(int index, size_t bytes) {
  SCOPE("produce");
  ALLOC(shared[index], bytes);
}
__attribute__((noinline)) static void consume(int index) {
  SCOPE("consume");
  FREE(shared[index]);
}

static void worker(int index) {
  SCOPE("worker");
  wait_for(index);
  produce(index, static_cast<size_t>(index + 1) * 16 * KIB);
  next();
  wait_for(4 + index);
  consume((index + 1) % 4); // what the next thread allocated
  char *p;
  ALLOC(p, 4 * KIB);
  next();
  wait_for(8 + index);
  if (index % 2) FREE(p); // others leak
  next();
}

int main() {
  SCOPE("main");
  char *mine;
  ALLOC(mine, 100 * KIB);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(worker, i);
  for (auto &thread : threads) thread.join();
  FREE(mine);
  SUMMARY();
  return 0;
}
