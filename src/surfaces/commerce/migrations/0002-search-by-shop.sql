-- A search reads the products of its own shop only: the shop is one of the words of each product.
drop index commerce.catalog_products_search;
create index catalog_products_words on commerce.catalog_products
  using gin ((search || array_to_tsvector(array[tenant_id::text])));

-- What an event of payments about an order makes due.
create index payment_operations_waiting on commerce.payment_operations (tenant_id, order_id)
  where state = 'pending';
