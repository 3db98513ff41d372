-- Compatible since 0001: older releases do not read the column, and do not use the index.
-- The file of a version was deleted or found harmful. A document is not served from it any longer
-- than the version takes that is to replace it.
alter table retrieval.document_versions add column source_lost boolean not null default false;

-- Counts the documents that a caller may read, and finds access lists that no document has.
create index documents_acl_set on retrieval.documents (tenant_id, collection_id, acl_set_id)
  where deleted_at is null;
