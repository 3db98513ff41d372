-- The narrow session of the owner of a subscription, and of who asked for a replay: what they began
-- has no more rights than it, and ends with it. Null: it belongs to the account.
alter table webhooks.subscriptions add column session_id uuid;
alter table webhooks.replay_audit add column session_id uuid;
