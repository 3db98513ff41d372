-- For the list of accounts: by mail address, and found by the beginning of address or name.
drop index identity.accounts_tenant_email;
create index accounts_tenant_email on identity.accounts (tenant_id, email_normalized, id);
create index accounts_email_words
  on identity.accounts (tenant_id, kernel.plain(email_normalized) collate "C");
create index accounts_name_words
  on identity.accounts (tenant_id, kernel.plain(display_name) collate "C");
