/*
 * settings.h - settings of hosts: names and defaults of murano.conf.
 */
#ifndef VT_SETTINGS_H
#define VT_SETTINGS_H

#include "vt.h"

#include <stdbool.h>
#include <stddef.h>

/* settings.c: are they settings?  As vt_scenario_check. */
bool vt_settings_check(const char *text, size_t n, vt_value settings, char **err)
	__attribute__((weak));
/* ("heat", "stack_tags"): from --settings, or VT_UNDEF. Borrowed. */
vt_value vt_setting(vt_rt *, const char *group, const char *name);
double vt_setting_number(vt_rt *, const char *group, const char *name, double otherwise);
/* true, yes, on and 1, in any case; NULL: no */
bool vt_says_yes(const char *);
bool vt_setting_bool(vt_rt *, const char *group, const char *name, bool otherwise);
const char *vt_setting_text(vt_rt *, const char *group, const char *name, const char *otherwise);
/* The password, which no message shows from now on; "guest", which everybody knows, is none. */
char *vt_password(vt_rt *, char *);
/* AMQP_URL, where the settings have no group rabbitmq; the settings are a DICT that nobody else
 * holds. */
vt_status vt_settings_environment(vt_rt *);

#endif
