-- Compatible since 0001: older releases do not know the column, and leave nothing in it.
-- A table of the engine that is not or no longer the one of the index version, and still has to go. A
-- process that ends while it moves rows leaves it.
alter table retrieval.index_versions add column leftover_table_id uuid;
