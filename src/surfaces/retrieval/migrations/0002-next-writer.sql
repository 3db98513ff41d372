-- Compatible since 0001: older releases do not know the columns, and take a free table at once.
-- The process that waits for an index table and gets it next, until the time.
alter table retrieval.index_versions add column next_writer uuid,
  add column next_writer_until timestamptz;
