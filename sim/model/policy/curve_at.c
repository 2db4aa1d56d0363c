/* The overhead that a curve gives for a usage. */
#include <smsched/contention.h>

double sms_curve_at(const struct sms_curve *curve, double usage)
{
    double x = 0, y = 0, slope = 0;
    if (!curve)
        return 0;
    for (size_t i = 0; i < curve->points; i++) {
        if (curve->usage[i] <= x) { /* a first point at 0: the curve starts there */
            y = curve->overhead[i];
            continue;
        }
        slope = (curve->overhead[i] - y) / (curve->usage[i] - x);
        if (usage <= curve->usage[i])
            break;
        x = curve->usage[i];
        y = curve->overhead[i];
    }
    return y + slope * (usage - x);
}
