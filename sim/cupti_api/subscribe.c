/* subscribe.c - the one subscriber of the process, and the calls that it listens to. Only calls of
 * the driver are reported: the other domains can be enabled, and nothing comes.
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

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, int domain,
                                uint32_t number) {
  if (!is_subscriber(subscriber) || !is_domain(domain) || number >= GPM_CUPTI_CALLS)
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (domain == GPM_SIM_DOMAIN_DRIVER) gpm_sim_listen_to(number, enable);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, int domain) {
  if (!is_subscriber(subscriber) || !is_domain(domain)) return CUPTI_ERROR_INVALID_PARAMETER;
  for (uint32_t i = 0; domain == GPM_SIM_DOMAIN_DRIVER && i < GPM_CUPTI_CALLS; i++)
    gpm_sim_listen_to(i, enable);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) {
  return cuptiEnableDomain(enable, subscriber, GPM_SIM_DOMAIN_DRIVER);
}

CUptiResult cuptiGetCallbackState(uint32_t *enabled, CUpti_SubscriberHandle subscriber, int domain,
                                  uint32_t number) {
  if (!enabled || !is_subscriber(subscriber) || !is_domain(domain) || number >= GPM_CUPTI_CALLS)
    return CUPTI_ERROR_INVALID_PARAMETER;
  *enabled = domain == GPM_SIM_DOMAIN_DRIVER && gpm_sim_listens_to(number);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(int domain, uint32_t number, const char **name) {
  static const struct {
    uint32_t number;
    const char *name;
  } names[] = {
#define GPM_CU_TRACED(name, number, implementation, ...) {number, #name},
#include "driver_api/traced.def"
  };
  if (!name || domain != GPM_SIM_DOMAIN_DRIVER) return CUPTI_ERROR_INVALID_PARAMETER;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].number == number) {
      *name = names[i].name;
      return CUPTI_SUCCESS;
    }
  return CUPTI_ERROR_INVALID_PARAMETER;
}
