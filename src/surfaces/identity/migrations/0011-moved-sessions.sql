-- Compatible since 0010: older releases refuse these sessions in every tenant.

-- The tenant with which the session moved to another cell. If it comes back, the session is valid in it.
alter table identity.gone_sessions add column moved_tenant_id uuid;
