-- For the list of payment intents: by amount within a currency, and found by the provider's charge.
create index payment_intents_amount
  on payments.payment_intents (tenant_id, currency, amount_minor, id);
create index payment_intents_tenant_charge on payments.payment_intents (tenant_id, charge_ref)
  where charge_ref is not null;
