select kernel.make_append_only('identity.security_events');
