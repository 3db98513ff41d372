-- Compatible since 0002: older releases count the declines that they wrote by their state.

-- An authorization that failed because the bank or the provider refused it. One that was cancelled meanwhile failed
-- too, but it says nothing about its card.
alter table payments.payment_operations add column declined boolean not null default false;
create index payment_operations_declines
  on payments.payment_operations (tenant_id, principal_id, resolved_at) where declined;
