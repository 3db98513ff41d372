-- The columns of a due queue: challenges of endpoints.

alter table webhooks.subscriptions
  add column challenge_attempts smallint not null default 0,
  add column challenge_lease_token uuid,
  add column challenge_leased_until timestamptz,
  add column challenge_error_code text;
