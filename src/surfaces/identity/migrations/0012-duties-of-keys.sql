-- A key is one program: like a role it holds permissions of one duty at most.
create function identity.duties_of(permissions text[]) returns bigint
  language sql immutable parallel safe return
  (select count(distinct identity.duty_of(permission)) from unnest(permissions) permission);
alter table identity.api_keys
  add constraint api_keys_one_duty check (identity.duties_of(permissions) <= 1);
