/* lock_order_test.c - the order of locks (lock_ranks.def) is checked, and the list of what a thread
 * holds is right. Each case runs in a child, since a wrong order ends the process. */
#include "base/invariants.h"
#include "base/lock.h"
#include "base/state.h"
#include "emit.h"
#include "threads/threads.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct gpm_lock outer = GPM_LOCK(tree), inner = GPM_LOCK(capture), same = GPM_LOCK(tree);

static void wrong_order(void) {
  gpm_lock_take(&inner);
  gpm_lock_take(&outer);
}

static void same_rank(void) {
  gpm_lock_take(&outer);
  gpm_lock_take(&same);
}

static void wrong_order_after_a_try(void) {
  CHECK(gpm_lock_try(&inner));
  gpm_lock_take(&outer);
}

static void right_order_and_one_after_the_other(void) {
  gpm_lock_take(&outer);
  gpm_lock_take(&inner);
  gpm_lock_release(&outer); /* not in the order of taking */
  gpm_lock_release(&inner);
  gpm_lock_take(&inner);
  gpm_lock_release(&inner);
  gpm_lock_take(&outer);
  gpm_lock_release(&outer);
}

static void forgotten_by_a_jump(void) {
  gpm_lock_take(&inner);
  gpm_lock_forget_held(false);
  gpm_lock_take(&outer);
}

static void broken_invariant(void) {
  GPM_ASSERT(sizeof(char) == 2);
}

static bool aborts(void (*part)(void)) {
  pid_t pid = fork();
  if (!pid) {
    close(2);
    part();
    _exit(0);
  }
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(WIFSIGNALED(status) ? WTERMSIG(status) == SIGABRT : WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

int main(void) {
  CHECK(gpm_recording());
  CHECK(aborts(wrong_order));
  CHECK(aborts(same_rank));
  CHECK(aborts(wrong_order_after_a_try));
  CHECK(aborts(broken_invariant));
  CHECK(!aborts(right_order_and_one_after_the_other));
  CHECK(!aborts(forgotten_by_a_jump));
  return 0;
}
