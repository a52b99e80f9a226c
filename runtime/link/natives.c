/*
 * natives.c - the classes that the runtime itself brings: appendix A of muranopl-engine.md.
 *
 * They stand here as the compiler would emit them.  A program that declares a class of the same
 * name in its own io.murano gets that class with the native methods added (class.c).  The third
 * column is vt_hash_bytes of the text; a debug build checks it.
 */
#include "runtime/core/value.h"
#include "runtime/object/object.h"
#include "runtime/core/args.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

#define NAMES(X) \
	X(Object, "io.murano.Object", 0x1643225783d84b45) \
	X(Exception, "io.murano.Exception", 0xa2612165a9cf837b) \
	X(StackTrace, "io.murano.StackTrace", 0xb593409ffeeccedb) \
	X(GC, "io.murano.system.GC", 0xe659f19e87ef8526) \
	X(Logger, "io.murano.system.Logger", 0xd6a971f2a3f96940) \
	X(setAttr, "setAttr", 0x52797647c49ff7fb) \
	X(getAttr, "getAttr", 0x9a1d1b19dd86f889) \
	X(toString, "toString", 0xc5c8cdb246b82937) \
	X(subscribeDestruction, "subscribeDestruction", 0x86e085becb732607) \
	X(unsubscribeDestruction, "unsubscribeDestruction", 0x1390c65206820008) \
	X(collect, "collect", 0x57b5dbdcad5fbaed) \
	X(isDoomed, "isDoomed", 0x9ee3e244b18c5381) \
	X(isDestroyed, "isDestroyed", 0xacbecb2d38e6d311) \
	X(trace, "trace", 0xdec59ea61a2e0448) \
	X(debug, "debug", 0xda790a7572a1170d) \
	X(info, "info", 0xf5d6a8c58f6fe7c0) \
	X(warning, "warning", 0x129fac0af340d085) \
	X(error, "error", 0x9f7452ddeaa11fec) \
	X(critical, "critical", 0x387748cc12a4d9c4) \
	X(exception, "exception", 0xaabfb1e64f21e130) \
	X(name, "name", 0xc4bcadba4adfb63c) \
	X(message, "message", 0x546401b586ccd311) \
	X(text, "__message", 0xc46a4194c20d27be) \
	X(stackTrace, "stackTrace", 0xc97c49eed6c211d2) \
	X(extra, "extra", 0xfd29ee125450257b) \
	X(nativeException, "nativeException", 0xda3760ea8ddb0c49) \
	X(cause, "cause", 0xb733af3bba47fcbb) \
	X(frames, "frames", 0x23e590670b517608) \
	X(value, "value", 0x7ce4fd944c0cf17e) \
	X(default_, "default", 0xebada5166d8d60e8) \
	X(owner, "owner", 0xa692f75a16197bae) \
	X(prefix, "prefix", 0xba8821b5c8db3f9c) \
	X(publisher, "publisher", 0x1ae6a30ef7c6ef91) \
	X(subscriber, "subscriber", 0xd683b0e2988668a1) \
	X(handler, "handler", 0x6dd7064c3c01d33f) \
	X(object_, "object_", 0x26d406844dd393db) \
	X(args, "args", 0x89493084b7f5adf8) \
	X(kwargs, "kwargs", 0xb97f9b109371b7d2) \
	X(exc, "exc", 0xc311fe183361d3e9) \
	X(TestFixture, "io.murano.test.TestFixture", 0x1b11c024604b00c2) \
	X(Resources, "io.murano.system.Resources", 0xc679de634e429e3c) \
	X(string, "string", 0x704be0d88ae41c80) \
	X(json, "json", 0x20bc6ede37b256dd) \
	X(yaml, "yaml", 0xa094fd492ca6edd7) \
	X(binary, "binary", 0xee885e74a95b8948) \
	X(setUp, "setUp", 0xefac4e30805fff06) \
	X(tearDown, "tearDown", 0x28db1f7995e86a88) \
	X(load, "load", 0xce0eecadbefc9d44) \
	X(finishEnv, "finishEnv", 0xc551158c32d56799) \
	X(startEnv, "startEnv", 0x4f59afb13fe9c3b3) \
	X(assertEqual, "assertEqual", 0xbef4e1ed9c1858cc) \
	X(assertTrue, "assertTrue", 0x02b56904f8d91be3) \
	X(assertFalse, "assertFalse", 0x73547f4eed3b0704) \
	X(assertIn, "assertIn", 0x595d08ac4cf001c4) \
	X(assertNotIn, "assertNotIn", 0x3b6402990767396a) \
	X(model, "model", 0x9de54393a38b33a9) \
	X(expected, "expected", 0xa6d51e156bde00cc) \
	X(observed, "observed", 0x6a15c215e0b659b4) \
	X(expr, "expr", 0xe7ed556069290e2e) \
	X(needle, "needle", 0x001a35dedba2d2bc) \
	X(haystack, "haystack", 0x943bcc1c00533027)

#define X(sym, text, hash) \
	static const VT_STR_CONST(sizeof text - 1) \
		s_##sym = {{VT_IMMORTAL, VT_K_STR, VT_F_ASCII, 0}, sizeof text - 1, \
			sizeof text - 1, hash, text};
NAMES(X)
#undef X
#define NAME(sym) ((const vt_str *)&s_##sym)

vt_status vt_sys_set_attr(vt_args *, vt_value *out);
vt_status vt_sys_get_attr(vt_args *, vt_value *out);
vt_status vt_sys_exception_to_string(vt_args *, vt_value *out);
vt_status vt_sys_trace_to_string(vt_args *, vt_value *out);
vt_status vt_sys_gc_subscribe(vt_args *, vt_value *out);
vt_status vt_sys_gc_unsubscribe(vt_args *, vt_value *out);
vt_status vt_sys_gc_collect(vt_args *, vt_value *out);
vt_status vt_sys_gc_is_doomed(vt_args *, vt_value *out);
vt_status vt_sys_gc_is_destroyed(vt_args *, vt_value *out);
vt_status vt_sys_logger_new(vt_args *, vt_value *out);
vt_status vt_sys_trace_new(vt_args *, vt_value *out);
vt_status vt_sys_logger_log(vt_args *, vt_value *out);
vt_status vt_sys_logger_exception(vt_args *, vt_value *out);
vt_status vt_sys_resources_new(vt_args *, vt_value *out);
vt_status vt_sys_resources_string(vt_args *, vt_value *out);
vt_status vt_sys_resources_json(vt_args *, vt_value *out);
vt_status vt_sys_resources_yaml(vt_args *, vt_value *out);
vt_status vt_sys_test_load(vt_args *, vt_value *out);
vt_status vt_sys_test_nothing(vt_args *, vt_value *out);
vt_status vt_sys_test_finish(vt_args *, vt_value *out);
vt_status vt_sys_test_equal(vt_args *, vt_value *out);
vt_status vt_sys_test_true(vt_args *, vt_value *out);
vt_status vt_sys_test_false(vt_args *, vt_value *out);
vt_status vt_sys_test_in(vt_args *, vt_value *out);
vt_status vt_sys_test_not_in(vt_args *, vt_value *out);

static vt_status
give_null(vt_rt *rt, vt_scope *sc, vt_value *out)
{
	*out = VT_NULL;
	return VT_OK;
}
static const vt_code null_code = {.fn = give_null, .source = "null"};

static vt_status
give_false(vt_rt *rt, vt_scope *sc, vt_value *out)
{
	*out = VT_FALSE;
	return VT_OK;
}
static const vt_code false_code = {.fn = give_false, .source = "false"};

#define NEEDED(sym) \
	{ \
		.name = NAME(sym) \
	}
#define OPTIONAL(sym) \
	{ \
		.name = NAME(sym), .dflt = &null_code \
	}
#define REST(sym, how) \
	{ \
		.name = NAME(sym), .usage = how \
	}

static const vt_class_decl c_Object, c_Exception, c_StackTrace, c_GC, c_Logger, c_Resources,
	c_TestFixture;

#define METHOD(cls_, sym, usage_, public_, params_, fn) \
	static const vt_method_decl m_##cls_##_##sym = {.name = NAME(sym), \
		.usage = usage_, \
		.is_public = public_, \
		.native = fn, \
		.params = params_, \
		.nparams = VT_LEN(params_), \
		.cls = &c_##cls_};
#define METHOD0(cls_, sym, usage_, fn) \
	static const vt_method_decl m_##cls_##_##sym = {.name = NAME(sym), \
		.usage = usage_, \
		.native = fn, \
		.params = no_params, \
		.nparams = 0, \
		.cls = &c_##cls_};
#define PROPERTY(cls_, sym) \
	static const vt_prop_decl p_##cls_##_##sym = { \
		.name = NAME(sym), .usage = VT_P_RUNTIME, .cls = &c_##cls_};

static const vt_param_decl no_params[1];
static const vt_param_decl set_params[] = {NEEDED(name), NEEDED(value), OPTIONAL(owner)};
static const vt_param_decl get_params[] = {NEEDED(name), OPTIONAL(default_), OPTIONAL(owner)};
static const vt_param_decl prefix_params[] = {OPTIONAL(prefix)};
static const vt_param_decl subscribe_params[] = {
	NEEDED(publisher), NEEDED(subscriber), OPTIONAL(handler)};
static const vt_param_decl object_params[] = {NEEDED(object_)};
static const vt_param_decl log_params[] = {
	NEEDED(text), REST(args, VT_PARAM_VARARGS), REST(kwargs, VT_PARAM_KWARGS)};
static const vt_param_decl exception_params[] = {
	NEEDED(exc), NEEDED(text), REST(args, VT_PARAM_VARARGS), REST(kwargs, VT_PARAM_KWARGS)};
static const vt_param_decl string_params[] = {
	NEEDED(name), OPTIONAL(owner), {.name = NAME(binary), .dflt = &false_code}};
static const vt_param_decl resource_params[] = {NEEDED(name), OPTIONAL(owner)};
static const vt_param_decl model_params[] = {NEEDED(model)};
static const vt_param_decl equal_params[] = {NEEDED(expected), NEEDED(observed), OPTIONAL(message)};
static const vt_param_decl truth_params[] = {NEEDED(expr), OPTIONAL(message)};
static const vt_param_decl in_params[] = {NEEDED(needle), NEEDED(haystack), OPTIONAL(message)};

METHOD(Object, setAttr, VT_M_RUNTIME, 0, set_params, vt_sys_set_attr)
METHOD(Object, getAttr, VT_M_RUNTIME, 0, get_params, vt_sys_get_attr)
METHOD0(Exception, toString, VT_M_RUNTIME, vt_sys_exception_to_string)
METHOD(StackTrace, toString, VT_M_ACTION, 1, prefix_params, vt_sys_trace_to_string)
METHOD(GC, subscribeDestruction, VT_M_STATIC, 0, subscribe_params, vt_sys_gc_subscribe)
METHOD(GC, unsubscribeDestruction, VT_M_STATIC, 0, subscribe_params, vt_sys_gc_unsubscribe)
METHOD0(GC, collect, VT_M_STATIC, vt_sys_gc_collect)
METHOD(GC, isDoomed, VT_M_STATIC, 0, object_params, vt_sys_gc_is_doomed)
METHOD(GC, isDestroyed, VT_M_STATIC, 0, object_params, vt_sys_gc_is_destroyed)
METHOD(Logger, trace, VT_M_RUNTIME, 0, log_params, vt_sys_logger_log)
METHOD(Logger, debug, VT_M_RUNTIME, 0, log_params, vt_sys_logger_log)
METHOD(Logger, info, VT_M_RUNTIME, 0, log_params, vt_sys_logger_log)
METHOD(Logger, warning, VT_M_RUNTIME, 0, log_params, vt_sys_logger_log)
METHOD(Logger, error, VT_M_RUNTIME, 0, log_params, vt_sys_logger_log)
METHOD(Logger, critical, VT_M_RUNTIME, 0, log_params, vt_sys_logger_log)
METHOD(Logger, exception, VT_M_RUNTIME, 0, exception_params, vt_sys_logger_exception)
METHOD(Resources, string, VT_M_STATIC, 0, string_params, vt_sys_resources_string)
METHOD(Resources, json, VT_M_STATIC, 0, resource_params, vt_sys_resources_json)
METHOD(Resources, yaml, VT_M_STATIC, 0, resource_params, vt_sys_resources_yaml)
METHOD(TestFixture, load, VT_M_RUNTIME, 0, model_params, vt_sys_test_load)
METHOD0(TestFixture, finishEnv, VT_M_RUNTIME, vt_sys_test_finish)
METHOD0(TestFixture, startEnv, VT_M_RUNTIME, vt_sys_test_nothing)
METHOD0(TestFixture, setUp, VT_M_RUNTIME, vt_sys_test_nothing)
METHOD0(TestFixture, tearDown, VT_M_RUNTIME, vt_sys_test_nothing)
METHOD(TestFixture, assertEqual, VT_M_RUNTIME, 0, equal_params, vt_sys_test_equal)
METHOD(TestFixture, assertTrue, VT_M_RUNTIME, 0, truth_params, vt_sys_test_true)
METHOD(TestFixture, assertFalse, VT_M_RUNTIME, 0, truth_params, vt_sys_test_false)
METHOD(TestFixture, assertIn, VT_M_RUNTIME, 0, in_params, vt_sys_test_in)
METHOD(TestFixture, assertNotIn, VT_M_RUNTIME, 0, in_params, vt_sys_test_not_in)

PROPERTY(Exception, name)
PROPERTY(Exception, message)
PROPERTY(Exception, stackTrace)
PROPERTY(Exception, extra)
PROPERTY(Exception, nativeException)
PROPERTY(Exception, cause)
PROPERTY(StackTrace, frames)

static const vt_method_decl *const object_methods[] = {&m_Object_setAttr, &m_Object_getAttr};
static const vt_method_decl *const exception_methods[] = {&m_Exception_toString};
static const vt_method_decl *const trace_methods[] = {&m_StackTrace_toString};
static const vt_method_decl *const gc_methods[] = {&m_GC_subscribeDestruction,
	&m_GC_unsubscribeDestruction, &m_GC_collect, &m_GC_isDoomed, &m_GC_isDestroyed};
static const vt_method_decl *const logger_methods[] = {&m_Logger_trace, &m_Logger_debug,
	&m_Logger_info, &m_Logger_warning, &m_Logger_error, &m_Logger_critical,
	&m_Logger_exception};
static const vt_method_decl *const resources_methods[] = {
	&m_Resources_string, &m_Resources_json, &m_Resources_yaml};
static const vt_method_decl *const test_methods[] = {&m_TestFixture_setUp, &m_TestFixture_tearDown,
	&m_TestFixture_load, &m_TestFixture_finishEnv, &m_TestFixture_startEnv,
	&m_TestFixture_assertEqual, &m_TestFixture_assertTrue, &m_TestFixture_assertFalse,
	&m_TestFixture_assertIn, &m_TestFixture_assertNotIn};
static const vt_prop_decl *const exception_props[] = {&p_Exception_name, &p_Exception_message,
	&p_Exception_stackTrace, &p_Exception_extra, &p_Exception_nativeException,
	&p_Exception_cause};
static const vt_prop_decl *const trace_props[] = {&p_StackTrace_frames};

#define METHODS(list) .methods = list, .nmethods = VT_LEN(list)
#define PROPS(list) .props = list, .nprops = VT_LEN(list)
#define CLASS(sym) .name = NAME(sym), .unit = &vt_core_unit, .listed = 1

static const vt_class_decl c_Object = {CLASS(Object), METHODS(object_methods)};
static const vt_class_decl c_Exception = {
	CLASS(Exception), METHODS(exception_methods), PROPS(exception_props)};
static const vt_class_decl c_StackTrace = {CLASS(StackTrace), METHODS(trace_methods),
	PROPS(trace_props), .native_new = vt_sys_trace_new};
static const vt_class_decl c_GC = {CLASS(GC), METHODS(gc_methods)};
static const vt_class_decl c_Logger = {
	CLASS(Logger), METHODS(logger_methods), .native_new = vt_sys_logger_new};
static const vt_class_decl c_Resources = {
	CLASS(Resources), METHODS(resources_methods), .native_new = vt_sys_resources_new};

static const vt_class_decl c_TestFixture = {CLASS(TestFixture), METHODS(test_methods)};

const vt_class_decl *const vt_native_classes[] = {
	&c_Object, &c_Exception, &c_StackTrace, &c_GC, &c_Logger, &c_Resources, &c_TestFixture};
const uint32_t vt_nnative_classes = VT_LEN(vt_native_classes);

#ifdef VT_DEBUG
/* A wrong hash would make a name that no lookup finds. */
static void
check_hashes(void)
{
#define X(sym, text, unused) \
	if (NAME(sym)->hash != vt_hash_bytes(text, sizeof text - 1)) { \
		fprintf(stderr, "vetro: natives.c: the hash of %s is 0x%016llx\n", text, \
			(unsigned long long)vt_hash_bytes(text, sizeof text - 1)); \
		abort(); \
	}
	NAMES(X)
#undef X
}
#else
static void
check_hashes(void)
{
}
#endif

static const vt_class_decl *
find_class(const vt_class_decl *const *v, uint32_t n, const char *fqn)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(v[i]->name->s, fqn) == 0)
			return v[i];
	return NULL;
}

const vt_class_decl *
vt_native_class(vt_rt *rt, const char *fqn)
{
	const vt_class_decl *d;
	check_hashes();
	d = find_class(vt_native_classes, vt_nnative_classes, fqn);
	return d || !rt->program ? d : find_class(rt->program->hosts, rt->program->nhosts, fqn);
}
