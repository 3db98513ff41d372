-- A session can be narrower than its account. All null: as wide as the account. Nothing of this
-- changes while the session lives, so a row that only names the session keeps its scope.
alter table identity.sessions
  add column scope text[] check (cardinality(scope) <= 20
    and octet_length(array_to_string(scope, ' ')) <= 1000),
  add column client_id text check (octet_length(client_id) between 1 and 300),
  -- The API for which its access tokens are; null for this one.
  add column audience text check (octet_length(audience) between 1 and 300),
  -- The only tenant in which it works.
  add column bound_tenant_id uuid references identity.tenants (id),
  add constraint sessions_narrow check (
    scope is not null or (client_id is null and audience is null));
