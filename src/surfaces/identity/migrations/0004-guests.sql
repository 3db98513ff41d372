-- A session may be turned to a tenant in which its account only holds roles. The tenants it was turned to
-- are kept, because access tokens for all of them may be in use when the last role in one is taken away.
alter table identity.sessions add column guest_of uuid[] not null default '{}';
update identity.sessions set guest_of = array[active_tenant_id] where active_tenant_id <> tenant_id;
alter table identity.sessions
  drop constraint sessions_revoked_reason_check,
  add constraint sessions_revoked_reason_check check (revoked_reason in ('logout', 'admin',
    'password_reset', 'password_change', 'refresh_reuse', 'account_disabled', 'account_deleted',
    'address_proven', 'too_many', 'membership_ended'));
