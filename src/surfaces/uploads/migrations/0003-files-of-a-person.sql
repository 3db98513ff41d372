-- Compatible since 0002: only indexes.
-- A person may have files in other tenants than their own. Export and erasure find them there too.
create index files_person on uploads.files (owner_id, id);
create index uploads_person on uploads.uploads (owner_id)
  where state = 'initiated' or filename is not null;
