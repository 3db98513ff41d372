-- Refunds that an account requested, for the export and the erasure of its data.
create index payment_operations_refunder
  on payments.payment_operations (principal_id, id)
  where type = 'refund';
