create schema payments;

-- An account of a tenant with a payment provider. Rows of other tables name it in `provider`:
-- `stripe:<id>`; the platform's own account is `stripe`.
create table payments.payment_accounts (
  tenant_id uuid not null,
  id uuid not null unique,
  name text not null,
  provider text not null,
  -- the account's own id at the provider, which new credentials must have too
  external_ref text not null,
  state text not null default 'active' check (state in ('active', 'closing', 'closed')),
  methods text[] not null,
  auth jsonb not null,
  has_webhook_secret boolean not null,
  -- null once the account is closed
  sealed bytea,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  check ((sealed is null) = (state = 'closed'))
);
create unique index payment_accounts_name on payments.payment_accounts (tenant_id, name)
  where state <> 'closed';
-- Two of them would have each other's objects in their books.
create unique index payment_accounts_external on payments.payment_accounts (provider, external_ref)
  where state <> 'closed';

-- What a buyer owes, and how much of it is held, taken and given back.
create table payments.payment_intents (
  tenant_id uuid not null,
  id uuid not null,
  merchant_id uuid generated always as (tenant_id) stored,
  order_ref text,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  state text not null default 'requires_authorization' check (state in
    ('requires_authorization', 'requires_action', 'authorized', 'captured', 'cancelled')),
  -- the account with the provider: `stripe` is the platform's, `stripe:<id>` one of the tenant
  provider text not null,
  provider_customer_ref text,
  -- whose saved methods it may use
  customer_id uuid,
  provider_handle text,
  provider_handle_at timestamptz,
  -- the last reconciliation that saw it at the provider
  reconciled_in uuid,
  charge_ref text,
  -- made by another surface: only its face moves it
  managed boolean not null default false,
  -- the payment request that it pays
  request_id uuid,
  amount_authorized_minor bigint not null default 0,
  amount_captured_minor bigint not null default 0,
  amount_refunded_minor bigint not null default 0,
  amount_refund_pending_minor bigint not null default 0,
  authorization_expires_at timestamptz,
  cancellation_reason text,
  disputed boolean not null default false,
  last_error jsonb,
  metadata jsonb not null default '{}',
  created_by uuid,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  constraint payment_intents_amounts check (
    0 <= amount_refunded_minor and 0 <= amount_refund_pending_minor
    and amount_refunded_minor + amount_refund_pending_minor <= amount_captured_minor
    and amount_captured_minor <= amount_authorized_minor
    and amount_authorized_minor <= amount_minor)
);
create unique index payment_intents_handle on payments.payment_intents (provider, provider_handle);
create index payment_intents_charge on payments.payment_intents (provider, charge_ref);
create index payment_intents_tenant_charge on payments.payment_intents (tenant_id, charge_ref)
  where charge_ref is not null;
create index payment_intents_tenant_handle
  on payments.payment_intents (tenant_id, provider_handle) where provider_handle is not null;
create index payment_intents_amount
  on payments.payment_intents (tenant_id, currency, amount_minor, id);
-- What an account made, for the export and the erasure of its data.
create index payment_intents_maker on payments.payment_intents (created_by, id);
create index payment_intents_order on payments.payment_intents (tenant_id, order_ref, id);
create index payment_intents_customer on payments.payment_intents (tenant_id, customer_id)
  where customer_id is not null;
create index payment_intents_state on payments.payment_intents (tenant_id, state, id);

-- Every mutation: committed before anything is sent, and the row that the resolver works on.
create table payments.payment_operations (
  tenant_id uuid not null,
  id uuid not null unique,
  -- null: a release that came before its authorization
  intent_id uuid,
  type text not null check (type in ('create', 'authorize', 'capture', 'cancel', 'refund')),
  principal_id uuid,
  idempotency_key text,
  request_fingerprint bytea,
  state text not null check (state in
    ('created', 'pending_provider', 'requires_action', 'succeeded', 'failed')),
  provider text not null,
  provider_operation_id text,
  amount_minor bigint not null check (amount_minor >= 0),
  payment_method text,
  -- the saved method that it uses
  payment_method_id uuid,
  -- the customer with whom the provider links the payment
  customer_id uuid,
  -- whether the method is kept for later
  save boolean not null default false,
  -- whether the payer is absent
  off_session boolean not null default false,
  return_url text,
  reason text,
  -- why the authorization is not wanted any more
  release_wanted text,
  error_code text,
  attempt_count int not null default 0,
  sent_at timestamptz,
  doubt_since timestamptz,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  created_at timestamptz not null default kernel.now(),
  resolved_at timestamptz,
  -- the bank or the provider refused the authorization; one that was cancelled meanwhile failed too, but
  -- says nothing about its card
  declined boolean not null default false,
  primary key (tenant_id, id),
  foreign key (tenant_id, intent_id) references payments.payment_intents (tenant_id, id),
  check (intent_id is not null or state = 'failed')
);
create unique index payment_operations_key
  on payments.payment_operations (tenant_id, principal_id, type, idempotency_key);
create unique index payment_operations_provider
  on payments.payment_operations (provider, provider_operation_id);
-- While one is open, no other may touch the authorization.
create unique index payment_operations_open
  on payments.payment_operations (tenant_id, intent_id)
  where type in ('authorize', 'capture', 'cancel') and state in ('created', 'pending_provider');
create index payment_operations_intent
  on payments.payment_operations (tenant_id, intent_id, id);
-- Declines of one principal in the last hour.
create index payment_operations_declines
  on payments.payment_operations (tenant_id, principal_id, resolved_at) where declined;
-- Refunds that an account requested, for the export and the erasure of its data.
create index payment_operations_refunder on payments.payment_operations (principal_id, id)
  where type = 'refund';
-- Methods that will be kept, for the limit of a customer.
create index payment_operations_saving on payments.payment_operations (tenant_id, customer_id)
  where save and state in ('created', 'pending_provider', 'requires_action');
create index payment_operations_due on payments.payment_operations (due_at)
  where due_at is not null;

-- What a payer is asked for on a page. One with more uses than one is a payment link: each buyer pays
-- a request of their own, with its `link_id`.
create table payments.payment_requests (
  tenant_id uuid not null,
  id uuid not null unique,
  link_id uuid,
  -- of a buyer of a link: the attempt that made it
  attempt_id uuid,
  -- null: the payer says
  amount_minor bigint check (amount_minor > 0),
  currency text not null,
  description text not null,
  order_ref text,
  return_url text,
  -- the language of its page
  locale text,
  -- the one account at which it may be paid, if its merchant chose it
  account text,
  -- Of an order of another surface, which takes the payment itself: what the page lists.
  lines jsonb,
  -- null: any number
  uses int check (uses > 0),
  used int not null default 0,
  paid int not null default 0,
  state text not null default 'open' check (state in
    ('open', 'processing', 'paid', 'expired', 'cancelled')),
  -- who pays, if the merchant knows
  customer_id uuid,
  -- the payment of its merchant that is asked for
  taken_id uuid,
  -- the one payment that may be live
  intent_id uuid,
  -- how it ends when its payment is certainly closed
  closing text check (closing in ('expired', 'cancelled')),
  expires_at timestamptz not null,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, intent_id) references payments.payment_intents (tenant_id, id),
  check (used <= uses and paid <= used),
  check (state <> 'processing' or intent_id is not null or lines is not null)
);
create index payment_requests_state on payments.payment_requests (tenant_id, state, id);
create index payment_requests_order on payments.payment_requests (tenant_id, order_ref, id);
create unique index payment_requests_attempt
  on payments.payment_requests (tenant_id, link_id, attempt_id) where link_id is not null;
create index payment_requests_link on payments.payment_requests (tenant_id, link_id, id)
  where link_id is not null;
create index payment_requests_due on payments.payment_requests (due_at) where due_at is not null;

-- What payers typed about themselves.
create table payments.request_payers (
  tenant_id uuid not null,
  request_id uuid not null,
  email text not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, request_id),
  foreign key (tenant_id, request_id) references payments.payment_requests (tenant_id, id)
);
create index request_payers_created on payments.request_payers (created_at);
-- For the export and the erasure of who has this address.
create index request_payers_email on payments.request_payers (tenant_id, lower(email));

-- Who pays a tenant, again and again. Only the account itself gets one with its `account_id`.
create table payments.customers (
  tenant_id uuid not null,
  id uuid not null,
  account_id uuid,
  email text,
  name text,
  locale text,
  address jsonb,
  tax_id text,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create unique index customers_account on payments.customers (tenant_id, account_id)
  where account_id is not null and deleted_at is null;
create index customers_of_account on payments.customers (account_id, id)
  where account_id is not null;
create index customers_email on payments.customers (tenant_id, kernel.plain(email) collate "C");
create index customers_name on payments.customers (tenant_id, kernel.plain(name) collate "C");
create index customers_last_word
  on payments.customers (tenant_id, kernel.last_word(name) collate "C");
create index customers_deleted on payments.customers (deleted_at) where deleted_at is not null;

-- A customer as an account with a provider knows them. The row is committed before the provider makes
-- theirs, and stays until the provider has deleted it.
create table payments.provider_customers (
  tenant_id uuid not null,
  id uuid not null unique,
  customer_id uuid not null,
  provider text not null,
  -- null: not made yet, or not known to be
  ref text,
  -- the first call that may have made it, and until when another process may be calling
  sent_at timestamptz,
  calling_until timestamptz,
  ended_at timestamptz,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, customer_id, provider)
);
create unique index provider_customers_ref on payments.provider_customers (provider, ref);
create index provider_customers_due on payments.provider_customers (due_at)
  where due_at is not null;

-- A method that was saved for later payments of a customer.
create table payments.payment_methods (
  tenant_id uuid not null,
  id uuid not null,
  customer_id uuid not null,
  -- that of the customer, which never changes
  account_id uuid,
  provider text not null,
  ref text not null,
  method text not null,
  brand text,
  last4 text,
  -- the last month in which it can be used, such as 2030-12
  exp text,
  state text not null default 'active' check (state in ('active', 'detached')),
  detached_at timestamptz,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id)
);
create unique index payment_methods_ref on payments.payment_methods (provider, ref);
create index payment_methods_customer on payments.payment_methods (tenant_id, customer_id, id);
create index payment_methods_last4 on payments.payment_methods (tenant_id, last4);
create index payment_methods_account on payments.payment_methods (account_id, id)
  where account_id is not null;
create index payment_methods_due on payments.payment_methods (due_at) where due_at is not null;
create index payment_methods_detached on payments.payment_methods (detached_at)
  where detached_at is not null;

create table payments.refunds (
  tenant_id uuid not null,
  id uuid not null,
  intent_id uuid not null,
  operation_id uuid not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  state text not null default 'pending' check (state in ('pending', 'succeeded', 'failed')),
  reason text not null,
  note text,
  provider text not null,
  provider_refund_id text,
  -- the provider took the money out of its balance
  accepted boolean not null default false,
  failure_code text,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  unique (tenant_id, operation_id),
  foreign key (tenant_id, intent_id) references payments.payment_intents (tenant_id, id)
);
create unique index refunds_provider on payments.refunds (provider, provider_refund_id);
create index refunds_intent on payments.refunds (tenant_id, intent_id, id);
create index refunds_state on payments.refunds (tenant_id, state, id);
create index refunds_tenant_provider on payments.refunds (tenant_id, provider_refund_id);

create table payments.disputes (
  tenant_id uuid not null,
  id uuid not null,
  intent_id uuid not null,
  provider text not null,
  provider_dispute_id text not null,
  amount_minor bigint not null check (amount_minor > 0),
  fee_minor bigint not null default 0,
  currency text not null,
  state text not null check (state in
    ('warning', 'needs_response', 'under_review', 'won', 'lost', 'closed')),
  reason text not null,
  -- where the disputed money is
  money text not null default 'none' check (money in ('none', 'withdrawn', 'returned', 'lost')),
  respond_by timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  closed_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, intent_id) references payments.payment_intents (tenant_id, id)
);
create unique index disputes_provider on payments.disputes (provider, provider_dispute_id);
create index disputes_tenant_provider on payments.disputes (tenant_id, provider_dispute_id);
create index disputes_intent on payments.disputes (tenant_id, intent_id);

-- What the provider reported: only which object to look at. It belongs to the platform.
create table payments.provider_events (
  provider text not null,
  event_id text not null,
  type text not null,
  object_ref text not null,
  received_at timestamptz not null default now(),
  processed_at timestamptz,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (provider, event_id)
);
create index provider_events_due on payments.provider_events (due_at) where due_at is not null;
create index provider_events_received on payments.provider_events (received_at);
create index provider_events_object on payments.provider_events (provider, object_ref);

-- How far the provider's lists have been read. A pass over the list of events begins with the newest
-- one; while it is unfinished, the events from `pass_until` to `pass_newest` are stored, and the next
-- pass goes on below them.
create table payments.provider_cursors (
  provider text not null,
  name text not null,
  read_until timestamptz not null,
  pass_until timestamptz,
  pass_newest timestamptz,
  primary key (provider, name)
);

-- The provider's own books, one row each of its balance transactions. The nil tenant is the platform.
create table payments.settlement_records (
  tenant_id uuid not null,
  id uuid not null,
  provider text not null,
  balance_transaction_id text not null,
  kind text not null,
  source_ref text,
  intent_id uuid,
  amount_minor bigint not null,
  fee_minor bigint not null,
  net_minor bigint not null,
  currency text not null,
  exchange_rate text,
  available_on timestamptz not null,
  payout_id text,
  provider_created_at timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  unique (provider, balance_transaction_id)
);
create index settlement_records_payout on payments.settlement_records (tenant_id, payout_id, id);
create index settlement_records_intent on payments.settlement_records (tenant_id, intent_id, id);
create index settlement_records_transaction
  on payments.settlement_records (tenant_id, balance_transaction_id);
create index settlement_records_currency on payments.settlement_records (provider, currency);

create table payments.payouts (
  tenant_id uuid not null,
  id uuid primary key,
  provider text not null,
  provider_payout_id text not null,
  amount_minor bigint not null,
  currency text not null,
  state text not null,
  arrival_at timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  unique (provider, provider_payout_id)
);

create table payments.reconciliation_runs (
  id uuid primary key,
  provider text not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed')),
  from_at timestamptz not null,
  to_at timestamptz not null,
  phase text not null default 'payments',
  page_after text,
  compared bigint not null default 0,
  fixed bigint not null default 0,
  opened bigint not null default 0,
  proof jsonb,
  requested_by text not null,
  due_at timestamptz default kernel.now(),
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  created_at timestamptz not null default kernel.now(),
  finished_at timestamptz
);
create index reconciliation_runs_due on payments.reconciliation_runs (due_at)
  where due_at is not null;

create table payments.reconciliation_items (
  tenant_id uuid not null,
  id uuid not null unique,
  provider text not null,
  external_ref text,
  local_ref text,
  state text not null default 'open' check (state in
    ('open', 'auto_resolved', 'resolved', 'ignored')),
  discrepancy text not null check (discrepancy in
    ('missing_local', 'missing_external', 'amount_mismatch', 'currency_mismatch', 'state_mismatch',
     'fee_mismatch', 'duplicate_effect', 'orphan_authorization', 'balance_drift',
     'unresolved_operation')),
  details jsonb not null default '{}',
  note text,
  resolved_by text,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  resolved_at timestamptz,
  primary key (tenant_id, id)
);
-- One open item for one disagreement, however often it is seen.
create unique index reconciliation_items_open on payments.reconciliation_items
  (provider, discrepancy, coalesce(external_ref, ''), coalesce(local_ref, ''))
  where state = 'open';

-- The ledger: double entry, append-only, balanced by constraint. The nil owner is the platform.
create table payments.ledger_accounts (
  id uuid primary key default gen_random_uuid(),
  owner_type text not null check (owner_type in ('platform', 'tenant')),
  owner_id uuid not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  type text not null check (type in
    ('provider_clearing', 'bank', 'provider_fees', 'suspense', 'merchant_balance',
     'refunds_in_transit', 'disputed_funds')),
  -- the payment account whose books these are; the nil account is the platform's
  payment_account_id uuid not null default '00000000-0000-0000-0000-000000000000',
  normal_side text not null generated always as (
    case when type in ('provider_clearing', 'bank', 'provider_fees', 'disputed_funds')
      then 'debit' else 'credit' end) stored,
  created_at timestamptz not null default kernel.now(),
  unique (owner_id, currency, type, payment_account_id),
  unique (id, currency)
);

create table payments.ledger_transactions (
  id uuid primary key,
  tenant_id uuid not null,
  operation_id uuid,
  intent_id uuid,
  purpose text not null,
  -- the balance transaction of the provider to which this belongs
  external_ref text,
  payment_account_id uuid not null default '00000000-0000-0000-0000-000000000000',
  request_id uuid,
  reverses_id uuid references payments.ledger_transactions (id),
  description text not null,
  effective_at timestamptz not null default kernel.now(),
  made_in xid8 not null default pg_current_xact_id()
);
create unique index ledger_transactions_operation
  on payments.ledger_transactions (operation_id, purpose);
create unique index ledger_transactions_external
  on payments.ledger_transactions (external_ref, purpose, payment_account_id);
-- A transaction is reversed at most once.
create unique index ledger_transactions_reversal
  on payments.ledger_transactions (reverses_id) where reverses_id is not null;
create index ledger_transactions_intent on payments.ledger_transactions (tenant_id, intent_id, id);
create index ledger_transactions_tenant on payments.ledger_transactions (tenant_id, id);

create table payments.ledger_entries (
  transaction_id uuid not null references payments.ledger_transactions (id),
  line smallint not null,
  account_id uuid not null,
  currency text not null,
  direction text not null check (direction in ('debit', 'credit')),
  amount_minor bigint not null check (amount_minor > 0),
  effective_at timestamptz not null default kernel.now(),
  primary key (transaction_id, line),
  foreign key (account_id, currency) references payments.ledger_accounts (id, currency)
);
create index ledger_entries_account on payments.ledger_entries (account_id, effective_at);

-- Sums of entries. A busy account has 16 rows, so that its writers do not take turns.
create table payments.ledger_balances (
  account_id uuid not null references payments.ledger_accounts (id),
  shard smallint not null check (shard between 0 and 15),
  debits_minor bigint not null default 0,
  credits_minor bigint not null default 0,
  primary key (account_id, shard)
) with (fillfactor = 50);

create function payments.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: correct it with a reversing transaction'
    using errcode = '42501', constraint = 'ledger_append_only';
end $$;

create trigger ledger_transactions_append_only
  before update or delete on payments.ledger_transactions
  for each row execute function payments.refuse_change();
create trigger ledger_transactions_no_truncate
  before truncate on payments.ledger_transactions
  for each statement execute function payments.refuse_change();
create trigger ledger_entries_append_only
  before update or delete on payments.ledger_entries
  for each row execute function payments.refuse_change();
create trigger ledger_entries_no_truncate
  before truncate on payments.ledger_entries
  for each statement execute function payments.refuse_change();

-- At commit: at least two entries, and debits equal credits in each currency.
create function payments.check_balanced() returns trigger language plpgsql as $$
declare
  lines bigint;
  unbalanced bigint;
begin
  select coalesce(sum(one.lines), 0), count(*) filter (where one.balance <> 0)
    into lines, unbalanced
  from (
    select count(*) as lines,
      sum(case direction when 'debit' then amount_minor else -amount_minor end) as balance
    from payments.ledger_entries where transaction_id = new.id
    group by currency) one;
  if lines < 2 or unbalanced > 0 then
    raise exception 'ledger transaction % is not balanced', new.id
      using errcode = '23514', constraint = 'ledger_balanced';
  end if;
  return null;
end $$;
create constraint trigger ledger_transactions_balanced
  after insert on payments.ledger_transactions
  deferrable initially deferred
  for each row execute function payments.check_balanced();

-- Entries belong to the commit that makes their transaction: none is added to an old one.
create function payments.check_entries_are_new() returns trigger language plpgsql as $$
begin
  if exists (
    select 1 from added
    join payments.ledger_transactions t on t.id = added.transaction_id
    where t.made_in <> pg_current_xact_id()) then
    raise exception 'entries can only be added in the commit of their transaction'
      using errcode = '23514', constraint = 'ledger_entries_of_one_commit';
  end if;
  return null;
end $$;
create trigger ledger_entries_are_new
  after insert on payments.ledger_entries
  referencing new table as added
  for each statement execute function payments.check_entries_are_new();

-- The only writer of the ledger. False: this posting is in it already.
--
-- One commit may hold several postings (a capture and its fee), and each adds to several rows of sums.
-- So all writers take these rows in one order: first the books of the tenant, as one lock, then the
-- clearing account, then the other accounts of the platform. One commit uses the same row of each busy
-- account for all its postings.
create function payments.post_ledger(
  posting_id uuid, posting_tenant uuid, posting_operation uuid, posting_intent uuid,
  posting_purpose text, posting_ref text, posting_request uuid, posting_reverses uuid,
  posting_description text, posting_currency text,
  leg_owners uuid[], leg_types text[], leg_directions text[], leg_amounts bigint[],
  posting_account uuid default '00000000-0000-0000-0000-000000000000')
returns boolean language plpgsql security definer set search_path = payments, pg_temp as $$
begin
  insert into payments.ledger_transactions (
    id, tenant_id, operation_id, intent_id, purpose, external_ref, payment_account_id,
    request_id, reverses_id, description)
  values (
    posting_id, posting_tenant, posting_operation, posting_intent, posting_purpose, posting_ref,
    posting_account, posting_request, posting_reverses, posting_description)
  on conflict do nothing;
  if not found then
    return false;
  end if;
  if exists (
    select 1 from unnest(leg_owners, leg_types) as leg (owner_id, type)
    where not exists (
      select 1 from payments.ledger_accounts a
      where a.owner_id = leg.owner_id and a.currency = posting_currency and a.type = leg.type
        and a.payment_account_id = posting_account)) then
    insert into payments.ledger_accounts (owner_type, owner_id, currency, type, payment_account_id)
    select distinct
      case when leg.owner_id = '00000000-0000-0000-0000-000000000000' then 'platform'
        else 'tenant' end,
      leg.owner_id, posting_currency, leg.type, posting_account
    from unnest(leg_owners, leg_types) as leg (owner_id, type)
    order by 2, 4
    on conflict do nothing;
  end if;
  insert into payments.ledger_entries
    (transaction_id, line, account_id, currency, direction, amount_minor)
  select posting_id, leg.line, a.id, posting_currency, leg.direction, leg.amount
  from unnest(leg_owners, leg_types, leg_directions, leg_amounts)
    with ordinality as leg (owner_id, type, direction, amount, line)
  join payments.ledger_accounts a
    on a.owner_id = leg.owner_id and a.currency = posting_currency and a.type = leg.type
      and a.payment_account_id = posting_account;
  perform pg_advisory_xact_lock(hashtextextended('payments.books ' || posting_tenant, 0));
  insert into payments.ledger_balances as b (account_id, shard, debits_minor, credits_minor)
  select a.id,
    case when a.owner_type = 'platform'
      then (pg_current_xact_id()::text::bigint % 16)::smallint else 0 end,
    coalesce(sum(leg.amount) filter (where leg.direction = 'debit'), 0),
    coalesce(sum(leg.amount) filter (where leg.direction = 'credit'), 0)
  from unnest(leg_owners, leg_types, leg_directions, leg_amounts)
    as leg (owner_id, type, direction, amount)
  join payments.ledger_accounts a
    on a.owner_id = leg.owner_id and a.currency = posting_currency and a.type = leg.type
      and a.payment_account_id = posting_account
  group by a.id
  order by a.owner_type = 'platform', a.type = 'provider_clearing' desc, a.id
  on conflict (account_id, shard) do update
  set debits_minor = b.debits_minor + excluded.debits_minor,
    credits_minor = b.credits_minor + excluded.credits_minor;
  return true;
end $$;

-- Adds to the sums of an account what its entries have more or less. One statement reads both, so postings
-- that commit meanwhile are neither lost nor added twice. Returns whether the sums were wrong.
create function payments.rebuild_balance(rebuilt uuid) returns boolean
language plpgsql security definer set search_path = payments, pg_temp as $$
begin
  -- Two rebuilds that find the same difference would both add it.
  perform pg_advisory_xact_lock(hashtextextended('payments.rebuild ' || rebuilt, 0));
  insert into payments.ledger_balances as b (account_id, shard, debits_minor, credits_minor)
  select rebuilt, 0, entered.debits - kept.debits, entered.credits - kept.credits
  from (
    select coalesce(sum(amount_minor) filter (where direction = 'debit'), 0) as debits,
      coalesce(sum(amount_minor) filter (where direction = 'credit'), 0) as credits
    from payments.ledger_entries where account_id = rebuilt) entered
  cross join (
    select coalesce(sum(debits_minor), 0) as debits, coalesce(sum(credits_minor), 0) as credits
    from payments.ledger_balances where account_id = rebuilt) kept
  where entered.debits <> kept.debits or entered.credits <> kept.credits
  on conflict (account_id, shard) do update
  set debits_minor = b.debits_minor + excluded.debits_minor,
    credits_minor = b.credits_minor + excluded.credits_minor;
  return found;
end $$;
