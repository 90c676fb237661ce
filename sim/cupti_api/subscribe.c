/* subscribe.c - the one subscriber of the process, and the calls that it listens to. Calls of the
 * driver and of the runtime API are reported: the other domains can be enabled, and nothing comes.
 */
#include "base/options.h"
#include "cupti_api/cupti.h"

#include <string.h>

#ifndef GPM_CUPTI_CALLS /* cuda12.h */
#define GPM_CUPTI_CALLS GPM_SIM_CALL_NUMBERS
#endif

static bool is_subscriber(CUpti_SubscriberHandle subscriber) {
  return subscriber && subscriber == gpm_sim_listener();
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, gpm_sim_callback callback,
                           void *data) {
  if (!strcmp(gpm_sim_options()->cupti, "broken")) return CUPTI_ERROR_NOT_INITIALIZED;
  if (!strcmp(gpm_sim_options()->cupti, "taken"))
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  if (!subscriber || !callback) return CUPTI_ERROR_INVALID_PARAMETER;
  CUpti_SubscriberHandle made = gpm_sim_listen(callback, data);
  if (!made) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  *subscriber = made;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, gpm_sim_callback callback,
                              void *data, void *parameters) {
  (void)parameters; /* the name of the subscriber, and where to store that of another one */
  return cuptiSubscribe(subscriber, callback, data);
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  return gpm_sim_listen_no_more(subscriber) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

static bool is_domain(int domain) {
  return domain > 0 && domain < GPM_SIM_DOMAINS;
}

static bool is_reported(int domain) {
  return domain == GPM_SIM_DOMAIN_DRIVER || domain == GPM_SIM_DOMAIN_RUNTIME;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, int domain,
                                uint32_t number) {
  if (!is_subscriber(subscriber) || !is_domain(domain) || number >= GPM_CUPTI_CALLS)
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (is_reported(domain)) gpm_sim_listen_to(domain, number, enable);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, int domain) {
  if (!is_subscriber(subscriber) || !is_domain(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  for (uint32_t i = 0; is_reported(domain) && i < GPM_CUPTI_CALLS; i++)
    gpm_sim_listen_to(domain, i, enable);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) {
  CUptiResult result = cuptiEnableDomain(enable, subscriber, GPM_SIM_DOMAIN_DRIVER);
  return result ? result : cuptiEnableDomain(enable, subscriber, GPM_SIM_DOMAIN_RUNTIME);
}

CUptiResult cuptiGetCallbackState(uint32_t *enabled, CUpti_SubscriberHandle subscriber, int domain,
                                  uint32_t number) {
  if (!enabled || !is_subscriber(subscriber) || !is_domain(domain) || number >= GPM_CUPTI_CALLS)
    return CUPTI_ERROR_INVALID_PARAMETER;
  *enabled = is_reported(domain) && gpm_sim_listens_to(domain, number);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(int domain, uint32_t number, const char **name) {
  static const struct {
    int domain;
    uint32_t number;
    const char *name;
  } names[] = {
#define GPM_CU_TRACED(name, number, implementation, ...) {GPM_SIM_DOMAIN_DRIVER, number, #name},
#include "driver_api/traced.def"
#define GPM_CUDART_TRACED(name, number, ...) {GPM_SIM_DOMAIN_RUNTIME, number, #name},
#include "runtime_api/traced.def"
  };
  if (!name) return CUPTI_ERROR_INVALID_PARAMETER;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].domain == domain && names[i].number == number) {
      *name = names[i].name;
      return CUPTI_SUCCESS;
    }
  return CUPTI_ERROR_INVALID_PARAMETER;
}
