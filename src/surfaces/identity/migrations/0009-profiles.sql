-- What is stored about a person beside the account, what tokens say of it, and which sessions a tenant
-- accepts. Null columns of a tenant: it declares nothing, and its log-ins cost nothing more.
alter table identity.accounts
  add column profile jsonb not null default '{}',
  add column metadata jsonb not null default '{}';
alter table identity.registrations add column profile jsonb;
alter table identity.tenants
  add column profile_schema jsonb,
  add column claims jsonb,
  add column login jsonb;

-- The claims of an account, in the order in which they are declared, up to the first that is too much.
-- A session with a scope says of the profile only what `profile` allows.
create function identity.claims_of(declared jsonb, of_profile jsonb, of_metadata jsonb,
  in_scope text[], place text, bytes_most int) returns jsonb
  language sql immutable parallel safe return (
  select jsonb_object_agg(c.name, c.value)
  from (
    select f.name, f.value,
      sum(octet_length(f.name) + octet_length(f.value::text) + 4) over (order by f.at) as bytes
    from (
      select e.one ->> 'name' as name, e.at,
        jsonb_build_object('metadata', of_metadata,
          'profile', case when in_scope is null or 'profile' = any(in_scope) then of_profile end)
          #> string_to_array(e.one ->> 'from', '.') as value
      from jsonb_array_elements(declared) with ordinality e(one, at)
      where e.one -> 'in' ? place
    ) f
    where f.value <> 'null'::jsonb
  ) c
  where c.bytes <= bytes_most);

-- Of an access token: at most 1 KiB, and with scope, client and audience no more than a cookie holds.
create function identity.access_claims(declared jsonb, of_profile jsonb, of_metadata jsonb,
  in_scope text[], for_client text, for_audience text) returns jsonb
  language sql stable parallel safe return
  identity.claims_of(declared, of_profile, of_metadata, in_scope, 'access_token', least(1024,
    1600 - octet_length(concat(array_to_string(in_scope, ' '), for_client, for_audience))));

-- Whether a session must first add a second factor. The provider of an organization answers for its
-- own people.
create function identity.needs_enrolment(policy jsonb, for_tenant uuid, at_level text,
  by_connection uuid) returns boolean
  language sql stable parallel safe return
  coalesce((policy -> 'require_mfa')::boolean, false) and at_level = 'aal1'
  and not exists (select from identity.connections c
    where c.id = by_connection and c.tenant_id = for_tenant
      and c.tenant_id <> '01900000-0000-7000-8000-000000000001');

-- Why the policy of a tenant refuses a session: the code of the error, or null. An administrator with a
-- second factor may log in in any way, so that a policy never locks everybody out.
create function identity.login_refusal(policy jsonb, for_tenant uuid, of_account uuid, at_level text,
  by_methods text[], in_scope text[], by_connection uuid, began_at timestamptz) returns text
  language sql stable parallel safe return
  case
    when policy is null then null
    when began_at + make_interval(secs => (policy -> 'session_max_seconds')::int)
      <= kernel.now() then 'session_too_old'
    when in_scope is distinct from array['enrolment']
      and identity.needs_enrolment(policy, for_tenant, at_level, by_connection)
      then 'second_factor_required'
    when at_level = 'aal2' and exists (select from identity.role_assignments r
      where r.tenant_id = for_tenant and r.account_id = of_account
        and r.role_id in ('tenant_admin', 'platform_operator')) then null
    when (policy -> 'require_sso')::boolean and not exists (select from identity.connections c
      where c.id = by_connection and c.tenant_id = for_tenant) then 'sso_required'
    when not (policy -> case
        when 'pwd' = any(by_methods) then 'password'
        when 'mail' = any(by_methods) then 'code'
        when 'oidc' = any(by_methods) then 'providers'
        when 'hwk' = any(by_methods) then 'passkey'
      end)::boolean then 'login_method_not_allowed'
  end;
