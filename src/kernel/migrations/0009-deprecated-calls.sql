-- Compatible since 0007: older releases do not know the table.
-- Who called what will be removed. `member` is empty for a whole operation.
create table kernel.deprecated_calls (
  tenant_id uuid not null,
  principal_id uuid not null,
  operation text collate "C" not null,
  member text collate "C" not null,
  calls bigint not null,
  first_called_at timestamptz not null,
  last_called_at timestamptz not null,
  primary key (tenant_id, principal_id, operation, member)
);
create index deprecated_calls_principal on kernel.deprecated_calls (principal_id);
create index deprecated_calls_last on kernel.deprecated_calls (last_called_at);
