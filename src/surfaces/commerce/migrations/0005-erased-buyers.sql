-- Compatible since 0004: a new column, which may change, and a new index.

-- The buyer was erased, and with them the address. The shop must end an order that is not sent yet.
alter table commerce.orders add column buyer_erased boolean not null default false;
create index orders_erased on commerce.orders (tenant_id, id) where buyer_erased;

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
  if to_jsonb(new) - moves is distinct from to_jsonb(old) - moves then
    raise exception 'what a buyer agreed to in % is kept as it is', tg_table_name
      using errcode = '23514', constraint = tg_name;
  end if;
  return new;
end $$;
