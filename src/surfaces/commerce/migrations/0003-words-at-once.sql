-- New words go into the index at once: a search never reads a list of pending entries, and PostgreSQL 15
-- does not avoid the index because of it.
alter index commerce.catalog_products_words set (fastupdate = off);
