-- For the list of orders: by their total within a currency, and found by number and mail address.
create index orders_total on commerce.orders (tenant_id, currency, total_minor, id);
create index orders_email on commerce.orders (tenant_id, kernel.plain(email) collate "C");
