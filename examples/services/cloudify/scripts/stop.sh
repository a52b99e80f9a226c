ctx logger info "stopping $(ctx instance runtime_properties state_of.pid)"
