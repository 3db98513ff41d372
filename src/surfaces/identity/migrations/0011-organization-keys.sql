-- API keys that belong to a tenant and not to an account. The id of their maker is kept, also after the
-- account was erased.

alter table identity.api_keys
  alter column account_id drop not null,
  add column made_by uuid not null;
create index api_keys_organization on identity.api_keys (tenant_id, id) where account_id is null;
