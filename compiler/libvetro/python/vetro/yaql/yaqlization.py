"""Opens Python objects to expressions."""

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
