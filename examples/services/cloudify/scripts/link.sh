# the source learns where its target is
ctx source instance runtime_properties backend "$(ctx target instance runtime_properties address)"
