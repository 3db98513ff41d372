-- Compatible since 0008: older releases do not read the table.

-- Sessions that were deleted with a tenant, while their access tokens for another tenant may be in use.
create table identity.gone_sessions (
  id uuid primary key,
  gone_at timestamptz not null default kernel.now()
);
create index gone_sessions_gone_at on identity.gone_sessions (gone_at);
