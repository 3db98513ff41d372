-- New words go into the index at once: a search never reads a list of pending entries, and PostgreSQL 15
-- does not avoid the index because of it.
alter index commerce.catalog_products_words set (fastupdate = off);

-- The hour of the last change, for the index of what is removed: the other changes of a cart write no index.
alter table commerce.carts add touched_hour timestamp
  generated always as (date_trunc('hour', updated_at at time zone 'UTC')) stored;
drop index commerce.carts_old;
create index carts_old on commerce.carts (touched_hour) where state <> 'locked';
