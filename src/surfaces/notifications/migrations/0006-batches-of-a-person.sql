-- Compatible since 0003: only an index.
-- The batches that a person or their API keys sent. The export of the person finds them.
create index notification_batches_sender on notifications.notification_batches
  (tenant_id, principal_id, id);
