-- A realtime token opens one socket. Kept until the token has expired.
create table identity.used_realtime_tokens (
  tenant_id uuid not null,
  id uuid not null,
  used_at timestamptz not null default kernel.now(),
  constraint used_realtime_tokens_pkey primary key (tenant_id, id)
);
create index used_realtime_tokens_used_at on identity.used_realtime_tokens (used_at);
