-- The kernel records the keys of batches.
drop index notifications.notification_batches_key;
alter table notifications.notification_batches drop column idempotency_key, drop column request_fingerprint;
