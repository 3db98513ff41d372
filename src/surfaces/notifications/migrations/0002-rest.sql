-- What the kernel looks for once a second: reports that fit no message yet.
create index provider_events_waiting on notifications.provider_events (received_at) where not applied;
alter table notifications.digests drop column lease_token;

-- After a doubt the same provider sends the same message again, and no other one.
alter table notifications.delivery_attempts add column pinned boolean not null default false;
