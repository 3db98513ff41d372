-- When its endpoint last answered a challenge, by the database's clock: what is known of an endpoint is
-- known since then.
alter table webhooks.subscriptions add column verified_at timestamptz;
