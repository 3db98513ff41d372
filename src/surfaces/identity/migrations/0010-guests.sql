-- An anonymous account belongs to a visitor who has not said who they are, such as the guest of a
-- shop. Its address is `anonymous:<id>` until the visitor proves one and becomes a person.
alter table identity.accounts
  add column kind text not null default 'person' check (kind in ('person', 'anonymous'));

-- The queue that looks whether an anonymous account is idle. The row goes when it becomes a person.
create table identity.anonymous_accounts (
  tenant_id uuid not null,
  account_id uuid not null,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  constraint anonymous_accounts_pkey primary key (tenant_id, account_id),
  foreign key (tenant_id, account_id) references identity.accounts (tenant_id, id)
);
create index anonymous_accounts_due on identity.anonymous_accounts (due_at)
  where due_at is not null;

-- An answer to a captcha is used once. Kept until it has expired.
create table identity.used_captchas (
  hash bytea constraint used_captchas_pkey primary key,
  expires_at timestamptz not null
);
create index used_captchas_expires_at on identity.used_captchas (expires_at);
