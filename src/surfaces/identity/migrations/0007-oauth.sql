-- A grant is a session that was given to an application. Without `offline_access` it ends with the
-- session of the browser in which the person gave it.
alter table identity.sessions
  add column parent_id uuid,
  drop constraint sessions_revoked_reason_check,
  add constraint sessions_revoked_reason_check check (revoked_reason in ('logout', 'admin',
    'password_reset', 'password_change', 'refresh_reuse', 'account_disabled', 'account_deleted',
    'address_proven', 'too_many', 'membership_ended', 'code_reuse', 'client'));
create index sessions_parent on identity.sessions (parent_id)
  where parent_id is not null and revoked_at is null;

-- The ref of an `oauth_code` is the id of the session that it begins.
alter table identity.one_time_challenges drop constraint one_time_challenges_purpose_check;
alter table identity.one_time_challenges add constraint one_time_challenges_purpose_check
  check (purpose in ('email_verification', 'password_reset', 'mfa_login', 'mfa_step_up',
    'oidc_state', 'oidc_ticket', 'invite', 'email_change', 'login_code', 'passkey_login',
    'factor_reset_stop', 'oauth_code'));
