-- Who wrote an event: the route (`POST /v1/jobs`) or the work (`run report.build`), and the transaction.
-- Both are null for events from before this migration. A transaction's number is unique in one database
-- cluster; after a restore into another cluster, old and new numbers may be the same.
alter table kernel.outbox_events add column written_by text, add column transaction_id bigint;
alter table kernel.events add column written_by text, add column transaction_id bigint;

-- A write with a key can be found by the id of its request. The ids begin with their time, so the index
-- grows at its end.
alter table kernel.idempotency_records add column request_id uuid, add column transaction_id bigint;
create index idempotency_records_request_id on kernel.idempotency_records (request_id);
