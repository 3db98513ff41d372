-- What belongs to an account may have been made with one of its API keys. And what somebody put into an
-- account before its owner proved the mailbox is erased, too: then only what was made until that moment.
alter table kernel.erasures
  drop constraint erasures_pkey,
  add column id uuid primary key default gen_random_uuid(),
  add column principal_ids uuid[] not null default '{}',
  add column made_before timestamptz;
update kernel.erasures set principal_ids = array[account_id];
create unique index erasures_account on kernel.erasures (account_id, surface) where made_before is null;
