-- The narrow session of the sender: what it sent later has no more rights than it, and is not sent
-- once it has ended. Null: the message belongs to the account.
alter table notifications.notification_intents add column session_id uuid;
alter table notifications.notification_batches add column session_id uuid;
alter table notifications.digests add column session_id uuid;
