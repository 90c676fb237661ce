/* cupti.h - the functions of CUPTI that are simulated, with the numbers and types of its headers,
 * which only the toolkit has. A test compares them.
 */
#ifndef GPUMEMPROF_SIM_CUPTI_H
#define GPUMEMPROF_SIM_CUPTI_H

#include "calls/calls.h"

#include <stddef.h>

enum {
#define GPM_CUPTI_RESULT(name, number) name = (number),
#include "cupti_api/results.def"
};
typedef int CUptiResult;
typedef void *CUpti_SubscriberHandle;

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, gpm_sim_callback callback,
                           void *data);
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber, gpm_sim_callback callback,
                              void *data, void *parameters);
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber);
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber, int domain,
                                uint32_t number);
CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber, int domain);
CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber);
CUptiResult cuptiGetCallbackState(uint32_t *enabled, CUpti_SubscriberHandle subscriber, int domain,
                                  uint32_t number);
CUptiResult cuptiGetCallbackName(int domain, uint32_t number, const char **name);
CUptiResult cuptiGetResultString(CUptiResult result, const char **text);
CUptiResult cuptiGetVersion(uint32_t *version);
CUptiResult cuptiGetTimestamp(uint64_t *nanoseconds);

#endif /* GPUMEMPROF_SIM_CUPTI_H */
