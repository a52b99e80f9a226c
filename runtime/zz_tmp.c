#include "vti.h"
vt_status __attribute__((weak)) vt_ordering_sorted(vt_rt*rt,vt_ordering*o,vt_value*out){(void)o;(void)out;return vt_raise(rt,VT_E_TYPE,"no ordering");}
