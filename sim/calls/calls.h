/* calls.h - reports calls of the driver and of the runtime API to a listener, which is the
 * subscriber of CUPTI.
 *
 *   cuMemAlloc_v2 ──► gpm_sim_call_begin ──► the listener (enter)
 *                 ──► what the function does
 *                 ──► gpm_sim_call_end   ──► the listener (exit)
 *
 * The listener is called by the thread that called the driver, without the lock.
 */
#ifndef GPUMEMPROF_SIM_CALLS_H
#define GPUMEMPROF_SIM_CALLS_H

#include <stdbool.h>
#include <stdint.h>

/* The numbers of CUpti_CallbackDomain and CUpti_ApiCallbackSite that matter here. */
enum { GPM_SIM_DOMAIN_DRIVER = 1, GPM_SIM_DOMAIN_RUNTIME = 2, GPM_SIM_DOMAINS = 7 };
enum { GPM_SIM_ENTER = 0, GPM_SIM_EXIT = 1 };
#define GPM_SIM_CALL_NUMBERS 1024 /* more than CUDA 13 has */

struct gpm_sim_report { /* CUpti_CallbackData */
  int site;
  const char *function;
  const void *parameters;
  void *result; /* null at the entry */
  const char *symbol;
  void *context;
  uint32_t context_id;
  uint64_t *data;
  uint32_t correlation;
};
/* As CUPTI declares it; `report` is a struct gpm_sim_report. */
typedef void (*gpm_sim_callback)(void *data, int domain, uint32_t number, const void *report);

struct gpm_sim_listener;
/* Null, while nobody listens: all that a call costs then is to look here. */
extern struct gpm_sim_listener *_Atomic gpm_sim_listening __attribute__((visibility("hidden")));
struct gpm_sim_listener *gpm_sim_listener(void); /* what it is, for the other libraries */
struct gpm_sim_listener *gpm_sim_listen(gpm_sim_callback callback,
                                        void *data);                  /* null: someone does */
bool gpm_sim_listen_no_more(const struct gpm_sim_listener *listener); /* false: it does not */
/* Of the present listener. The domain is DRIVER or RUNTIME. */
void gpm_sim_listen_to(int domain, uint32_t number, bool enabled);
bool gpm_sim_listens_to(int domain, uint32_t number);

struct gpm_sim_call {
  struct gpm_sim_report report;
  struct gpm_sim_listener *listener;
  int domain;
  uint32_t number;
  uint64_t data;
};
void gpm_sim_call_begin(struct gpm_sim_call *call, int domain, uint32_t number, const char *name,
                        const void *parameters);
void gpm_sim_call_end(struct gpm_sim_call *call, void *result);

/* The body of a function that is reported: `function` does what is to be done and returns `type`;
 * then come its parameters (gpumemprof/parameters.h). */
#define GPM_SIM_CALL_REPORTED(domain, number, name, type, function, ...)                           \
  const struct {                                                                                   \
    GPUMEMPROF_FIELDS(__VA_ARGS__);                                                                \
  } parameters = {GPUMEMPROF_ARGUMENTS(__VA_ARGS__)};                                              \
  struct gpm_sim_call call;                                                                        \
  gpm_sim_call_begin(&call, domain, number, name, &parameters);                                    \
  type result = function(GPUMEMPROF_ARGUMENTS(__VA_ARGS__));                                       \
  gpm_sim_call_end(&call, &result);                                                                \
  return result;

#endif /* GPUMEMPROF_SIM_CALLS_H */
