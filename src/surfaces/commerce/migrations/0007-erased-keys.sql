-- A key is what the buyer wrote, so an erasure removes it.
alter table commerce.orders alter column idempotency_key drop not null;
alter table commerce.returns alter column idempotency_key drop not null;

-- As in 0005; the key may become null.
create or replace function commerce.keep_agreement() returns trigger language plpgsql as $$
declare
  moves text[] := case tg_table_name
    when 'order_lines' then array['shipped_quantity', 'returned_quantity', 'refunded_quantity']
    else array['number', 'state', 'email', 'shipping_address', 'billing_address', 'payment_state',
      'authorize_operation_id', 'intent_id', 'amount_authorized_minor', 'amount_captured_minor',
      'amount_refunded_minor', 'authorization_expires_at', 'payment_error', 'shipping_refunded',
      'version', 'confirmed_at', 'shipped_at', 'due_at', 'attempts', 'lease_token', 'leased_until',
      'last_error_code', 'buyer_erased'] end;
begin
  if to_jsonb(new) ->> 'idempotency_key' is null then moves := moves || array['idempotency_key']; end if;
  if to_jsonb(new) - moves is distinct from to_jsonb(old) - moves then
    raise exception 'what a buyer agreed to in % is kept as it is', tg_table_name
      using errcode = '23514', constraint = tg_name;
  end if;
  return new;
end $$;
