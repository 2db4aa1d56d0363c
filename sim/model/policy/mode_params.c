/* The parameters of modes on which the engine acts, and the clients of MPS. */
#include "modes.h"

/* Of Volta and newer before 60 came (NVIDIA's MPS guide); what a device without `mps:` takes. */
enum { CLIENTS_USUAL = 48 };

enum { SLICE, SWITCH, DRAIN, NEWCOMER, AHEAD, STOP, LAUNCH_WAIT, REPLICAS, ACTED_ON };
static const struct sms_param acted_on[ACTED_ON] = {SMS_MODE_TURNS, SMS_MODE_LAUNCH_WAIT,
                                                    SMS_MODE_REPLICAS(1024, NULL)};

void sms__act_on_param(const struct sms_param *param, double value, bool given, struct sms__mode *mode)
{
    switch (sms__find_name(param->name, ACTED_ON, SMS__NAMES(acted_on, name))) {
    case SLICE:
        mode->turns.slice_ps = given ? value : 0;
        break;
    case SWITCH:
        mode->turns.switch_ps = given ? value : -1;
        break;
    case DRAIN:
        mode->drain = value > 0;
        break;
    case NEWCOMER: /* as sms__newcomers, after the one that leaves it to the device */
        mode->turns.newcomer = (int)value - 1;
        break;
    case AHEAD:
        mode->ahead = (uint64_t)value;
        break;
    case STOP:
        mode->stop_ps = value;
        break;
    case LAUNCH_WAIT:
        mode->launch_wait_ps = value;
        break;
    case REPLICAS:
        mode->replicas = (uint16_t)value;
        break;
    default:
        break;
    }
}

bool sms__is_mode_param_wrong(const struct sms_param *params)
{
    bool wrong = false;
    for (; params && params->name; params++) {
        const size_t i = sms__find_name(params->name, ACTED_ON, SMS__NAMES(acted_on, name));
        wrong |= i < ACTED_ON &&
                 (params->unit != acted_on[i].unit || params->min < acted_on[i].min || params->max > acted_on[i].max);
    }
    return wrong;
}

struct sms__turns sms__usual_turns(void)
{
    return (struct sms__turns){acted_on[SLICE].fallback, acted_on[SWITCH].fallback, SMS__WHOLE_SLICE};
}

uint64_t sms_mps_clients(const struct sms_device_view *device, double clients, double driver)
{
    if (!device)
        return 0;
    const uint64_t own = driver > 0 && device->clients_before ? device->clients_before : device->clients;
    return clients > 0 ? (uint64_t)clients : own ? own : CLIENTS_USUAL;
}
