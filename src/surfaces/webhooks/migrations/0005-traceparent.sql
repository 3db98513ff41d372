-- The trace of the event, beside the bytes that all its deliveries share: its attempts continue it.
alter table webhooks.event_bodies add column traceparent text;
