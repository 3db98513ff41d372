-- What the kernel looks for once a second: reports that fit no message yet.
create index provider_events_waiting on notifications.provider_events (received_at) where not applied;
alter table notifications.digests drop column lease_token;
