-- Compatible since 0003: a new index.

-- How often a capture of an order was refused, and when: the next one before the end of an authorization
-- waits longer each time.
create index payment_operations_refused
  on commerce.payment_operations (tenant_id, order_id, created_at)
  where type = 'capture' and state = 'failed';
