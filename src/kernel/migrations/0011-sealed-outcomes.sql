-- Compatible since 0007: older releases ignore the keys of the operations whose outcomes are sealed.
-- The reply of an operation that shows a secret once, sealed with the keyring. `body` is null then.
alter table kernel.idempotency_records add column sealed_body bytea;
alter table kernel.idempotency_records alter column sealed_body set storage external;
