"""Opens Python objects to expressions."""

import re

YAQLIZATION_ATTR = '__yaqlization__'


def build_yaqlization_settings(yaqlize_attributes=True, yaqlize_methods=True,
                               yaqlize_indexer=True, auto_yaqlize_result=False, whitelist=None,
                               blacklist=None, attribute_remapping=None,
                               blacklist_remapped_attributes=True):
    remapping = attribute_remapping or {}
    hidden = set(blacklist or ())
    if blacklist_remapped_attributes:
        hidden.update(v if isinstance(v, str) else v[0] for v in remapping.values())
    return {
        'yaqlizeAttributes': yaqlize_attributes,
        'yaqlizeMethods': yaqlize_methods,
        'yaqlizeIndexer': yaqlize_indexer,
        'autoYaqlizeResult': auto_yaqlize_result,
        'whitelist': set(whitelist or ()),
        'blacklist': hidden,
        'attributeRemapping': remapping,
    }


def yaqlize(class_or_object=None, yaqlize_attributes=True, yaqlize_methods=True,
            yaqlize_indexer=True, auto_yaqlize_result=False, whitelist=None, blacklist=None,
            attribute_remapping=None, blacklist_remapped_attributes=True):
    def open_up(something):
        if not hasattr(something, YAQLIZATION_ATTR):
            setattr(something, YAQLIZATION_ATTR, build_yaqlization_settings(
                yaqlize_attributes, yaqlize_methods, yaqlize_indexer, auto_yaqlize_result,
                whitelist, blacklist, attribute_remapping, blacklist_remapped_attributes))
        return something

    return open_up if class_or_object is None else open_up(class_or_object)


def get_yaqlization_settings(class_or_object):
    return getattr(class_or_object, YAQLIZATION_ATTR, None)


def is_yaqlized(class_or_object):
    return hasattr(class_or_object, YAQLIZATION_ATTR)


# ---- what expressions see ----

def _names(entry, name):
    if name == entry:
        return True
    if isinstance(entry, re.Pattern):
        return entry.search(name) is not None
    return callable(entry) and entry(name)


def _validate_name(name, settings, exception_cls=AttributeError):
    allowed = settings['whitelist']
    if (name.startswith('_')
            or (allowed and not any(_names(entry, name) for entry in allowed))
            or (not allowed and any(_names(entry, name) for entry in settings['blacklist']))):
        raise exception_cls('Cannot access ' + name)


def _auto_yaqlize(value, settings):
    cls = value if isinstance(value, type) else type(value)
    if not settings['autoYaqlizeResult'] or cls.__module__ == 'builtins':
        return value
    try:
        yaqlize(value, auto_yaqlize_result=True)
    except Exception:
        pass  # an object that takes no attributes stays closed
    return value


def get_member(obj, name):
    settings = get_yaqlization_settings(obj)
    _validate_name(name, settings)
    return _auto_yaqlize(
        getattr(obj, settings['attributeRemapping'].get(name, name)), settings)


def call_method(obj, name, args, kwargs):
    settings = get_yaqlization_settings(obj)
    _validate_name(name, settings)
    name, renamed = settings['attributeRemapping'].get(name, name), {}
    if not isinstance(name, str):
        name, renamed = name[0], name[1] if len(name) > 1 else {}
    return _auto_yaqlize(getattr(obj, name)(
        *args, **{renamed.get(key, key): value for key, value in kwargs.items()}), settings)


def get_item(obj, key):
    settings = get_yaqlization_settings(obj)
    _validate_name(key, settings, KeyError)
    return _auto_yaqlize(obj[key], settings)
