-- API keys that belong to a tenant and not to an account. The id of their maker is kept, also after the
-- account was erased.

alter table identity.api_keys
  alter column account_id drop not null,
  add column made_by uuid not null;
create index api_keys_organization on identity.api_keys (tenant_id, id) where account_id is null;

-- A password reset ends the login codes of its address.
create index one_time_challenges_address
  on identity.one_time_challenges ((details ->> 'email_normalized'))
  where purpose in ('login_code', 'oidc_ticket');
