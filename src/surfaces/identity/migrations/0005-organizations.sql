-- Organizations that members make: tenants of their own, with guests, invitations and domains.

-- trusted: an operator answers for the tenant. In others, roles for money and models cannot be given.
alter table identity.tenants
  add column made_by uuid,
  add column trusted boolean not null default true;
create index tenants_made_by on identity.tenants (made_by) where made_by is not null;

-- A guest has API keys in the tenants of others.
alter table identity.api_keys
  drop constraint api_keys_tenant_id_account_id_fkey,
  add foreign key (tenant_id) references identity.tenants (id),
  add foreign key (account_id) references identity.accounts (id);
create index api_keys_owner on identity.api_keys (account_id, id);

-- A domain that is proven by a TXT record. While one is verified, no other tenant can have it.
create table identity.organization_domains (
  tenant_id uuid not null references identity.tenants (id),
  id uuid not null,
  domain text collate "C" not null,
  state text not null default 'pending'
    check (state in ('pending', 'verified', 'lost', 'removed')),
  record_value text not null,
  missed_checks int not null default 0,
  checked_at timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  removed_at timestamptz,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (tenant_id, id)
);
create unique index organization_domains_claimed
  on identity.organization_domains (tenant_id, domain) where state <> 'removed';
create unique index organization_domains_verified
  on identity.organization_domains (domain) where state = 'verified';
create index organization_domains_due on identity.organization_domains (due_at)
  where due_at is not null;
create index organization_domains_removed on identity.organization_domains (removed_at)
  where removed_at is not null;

-- Only an account that has proven the address sees it. It names no account, so it tells nothing.
create table identity.invitations (
  tenant_id uuid not null references identity.tenants (id),
  id uuid not null,
  email text not null,
  email_normalized text collate "C" not null,
  role_ids text[] not null,
  state text not null default 'pending'
    check (state in ('pending', 'accepted', 'declined', 'withdrawn')),
  invited_by uuid not null,
  expires_at timestamptz not null,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id)
);
create unique index invitations_pending on identity.invitations (tenant_id, email_normalized)
  where state = 'pending';
create index invitations_address on identity.invitations (email_normalized, id);
create index invitations_expires_at on identity.invitations (expires_at);

-- The mail of an invitation is sent only while it is pending, and goes with its address.
alter table identity.mails add column invitation_id uuid;
create index mails_invitation on identity.mails (invitation_id) where invitation_id is not null;
