-- Which duty a permission carries is known to the database, so no statement can leave it out. The
-- permissions that surfaces declare with a duty are compared with it by a test.
create function identity.duty_of(permission text) returns text
  language sql immutable parallel safe return
  case split_part(permission, ':', 1)
    when 'identity.support.view' then 'support'
    when 'payments.refunds.create' then 'refunds'
    when 'identity.signing_keys.rotate' then 'keys'
  end;

alter table identity.role_permissions
  drop constraint role_permissions_one_duty,
  drop column duty,
  add column duty text generated always as (identity.duty_of(permission)) stored;
alter table identity.role_permissions
  add constraint role_permissions_one_duty exclude using gist
    (tenant_id with =, role_id with =, duty with <>) where (duty is not null);
