-- An administrator resets the second factors of a person who lost them, after a delay in which the
-- person can stop it. The row is its own queue.
create table identity.factor_resets (
  tenant_id uuid not null,
  id uuid primary key,
  account_id uuid not null,
  requested_by uuid not null,
  reason text not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'done', 'stopped', 'withdrawn', 'lapsed')),
  effective_at timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  ended_at timestamptz,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  check ((state = 'waiting') = (ended_at is null)),
  unique (tenant_id, id),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id)
);
create unique index factor_resets_waiting on identity.factor_resets (account_id)
  where state = 'waiting';
create index factor_resets_account on identity.factor_resets (tenant_id, account_id, id);
create index factor_resets_due on identity.factor_resets (due_at) where due_at is not null;

alter table identity.one_time_challenges drop constraint one_time_challenges_purpose_check;
alter table identity.one_time_challenges add constraint one_time_challenges_purpose_check
  check (purpose in ('email_verification', 'password_reset', 'mfa_login', 'mfa_step_up',
    'oidc_state', 'oidc_ticket', 'invite', 'email_change', 'login_code', 'passkey_login',
    'factor_reset_stop'));
