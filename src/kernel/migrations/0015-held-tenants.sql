-- Compatible since 0007: older releases do not know the index.
-- The tenants that are held now, among all that were moved away or deleted: each claim of background work
-- passes over their rows.
create index tenant_states_held on kernel.tenant_states (tenant_id)
  where receipt is null or not receipt ? 'sha256';
