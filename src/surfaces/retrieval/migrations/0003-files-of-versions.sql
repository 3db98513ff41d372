-- Compatible since 0001: older releases do not use the index.
-- Finds the served document of a file after another source was named for its next version.
create index document_versions_file on retrieval.document_versions (tenant_id, file_id)
  where file_id is not null;
