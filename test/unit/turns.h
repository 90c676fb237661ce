/* turns.h - threads that take turns at random steps, so that a test's model sees one order of
 * events.
 *
 * The including test defines what a thread does in its turn, and at the end.
 */
#ifndef TEST_TURNS_H
#define TEST_TURNS_H

#include "emit.h"
#include "threads/threads.h"

#include <pthread.h>

struct turns {
  int threads;
  long steps_left;
  uint32_t longest;              /* the most steps in a turn */
  uint32_t (*below)(uint32_t n); /* returns a random number below n */
  void (*step)(struct gpm_thread *self, int thread);
  void (*end)(int thread); /* called by the thread when no step is left */
};

static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int turn;
static struct turns turns;

static void *turns_main(void *data) {
  int me = (int)(intptr_t)data;
  struct gpm_thread *self = gpm_thread_self();
  pthread_mutex_lock(&turn_lock);
  while (turns.steps_left > 0) {
    while (turn != me && turns.steps_left > 0) pthread_cond_wait(&turn_changed, &turn_lock);
    for (uint32_t n = 1 + turns.below(turns.longest); n && turns.steps_left > 0; n--) {
      turns.step(self, me);
      turns.steps_left--;
    }
    turn = (turn + 1) % turns.threads;
    pthread_cond_broadcast(&turn_changed);
  }
  turns.end(me);
  pthread_mutex_unlock(&turn_lock);
  return NULL;
}

/* Returns when all threads have ended. */
static void take_turns(struct turns how) {
  pthread_t ids[64];
  turns = how;
  for (intptr_t i = 0; i < how.threads; i++)
    CHECK(!pthread_create(&ids[i], NULL, turns_main, (void *)i));
  for (int i = 0; i < how.threads; i++) pthread_join(ids[i], NULL);
}

#endif /* TEST_TURNS_H */
