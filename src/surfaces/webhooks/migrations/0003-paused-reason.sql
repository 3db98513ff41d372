-- Why the platform paused a subscription; null where somebody did. Its owner may no longer read what it
-- asks for.
alter table webhooks.subscriptions
  add column paused_reason text check (paused_reason in ('owner_revoked')),
  add check (paused_reason is null or state = 'paused');
