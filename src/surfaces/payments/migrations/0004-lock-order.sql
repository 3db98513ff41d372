-- Compatible since 0002: the function has the same arguments and the same effect.

-- One commit may hold several postings (a capture and its fee), and each adds to several rows of sums.
-- So all writers take these rows in one order: first the books of the tenant, as one lock, then the
-- clearing account, then the other accounts of the platform. One commit uses the same row of each busy
-- account for all its postings.
create or replace function payments.post_ledger(
  posting_id uuid, posting_tenant uuid, posting_operation uuid, posting_intent uuid,
  posting_purpose text, posting_ref text, posting_request uuid, posting_reverses uuid,
  posting_description text, posting_currency text,
  leg_owners uuid[], leg_types text[], leg_directions text[], leg_amounts bigint[])
returns boolean language plpgsql security definer set search_path = payments, pg_temp as $$
begin
  insert into payments.ledger_transactions (
    id, tenant_id, operation_id, intent_id, purpose, external_ref, request_id, reverses_id,
    description)
  values (
    posting_id, posting_tenant, posting_operation, posting_intent, posting_purpose, posting_ref,
    posting_request, posting_reverses, posting_description)
  on conflict do nothing;
  if not found then
    return false;
  end if;
  if exists (
    select 1 from unnest(leg_owners, leg_types) as leg (owner_id, type)
    where not exists (
      select 1 from payments.ledger_accounts a
      where a.owner_id = leg.owner_id and a.currency = posting_currency and a.type = leg.type)) then
    insert into payments.ledger_accounts (owner_type, owner_id, currency, type)
    select distinct
      case when leg.owner_id = '00000000-0000-0000-0000-000000000000' then 'platform'
        else 'tenant' end,
      leg.owner_id, posting_currency, leg.type
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
    on a.owner_id = leg.owner_id and a.currency = posting_currency and a.type = leg.type;
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
  group by a.id
  order by a.owner_type = 'platform', a.type = 'provider_clearing' desc, a.id
  on conflict (account_id, shard) do update
  set debits_minor = b.debits_minor + excluded.debits_minor,
    credits_minor = b.credits_minor + excluded.credits_minor;
  return true;
end $$;
