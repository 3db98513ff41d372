-- A passkey logs in alone and counts as a second factor too. A key of type `webauthn` is only a factor.
alter table identity.mfa_methods
  drop constraint mfa_methods_type_check,
  add constraint mfa_methods_type_check check (type in ('totp', 'webauthn', 'passkey'));

-- `login_code` is a code that was mailed. `passkey_login` is the challenge of a log-in with a passkey,
-- stored once it was used.
alter table identity.one_time_challenges
  drop constraint one_time_challenges_purpose_check,
  add constraint one_time_challenges_purpose_check check (purpose in ('email_verification',
    'password_reset', 'mfa_login', 'mfa_step_up', 'oidc_state', 'oidc_ticket', 'invite',
    'email_change', 'login_code', 'passkey_login'));

alter table identity.requests
  drop constraint requests_kind_check,
  add constraint requests_kind_check
    check (kind in ('password_reset', 'email_verification', 'login_code'));
