/* natives.c - what the compiler knows of native classes (runtime/native/classes.def). */
#include "compiler/base/base.h"
#include "compiler/murano/package.h"

static const vc_native natives[] = {
#include "natives_list.h"
};

const vc_native *
vc_native_at(uint32_t i)
{
	return i < VC_LEN(natives) ? &natives[i] : NULL;
}
