-- Compatible since 0005: a new index and a new function.

-- A transaction is reversed at most once.
create unique index ledger_transactions_reversal
  on payments.ledger_transactions (reverses_id) where reverses_id is not null;

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
