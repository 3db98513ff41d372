-- A signed URL names an upload or a file and no tenant; a sweep walks over all files in order.
create unique index uploads_id on uploads.uploads (id);
create unique index files_id on uploads.files (id);

-- Contents that no tenant may store, by digest: set by the operator of the platform.
create table uploads.blocked_hashes (
  sha256 bytea primary key check (octet_length(sha256) = 32),
  reason text not null check (length(reason) <= 200),
  created_by text not null,
  created_at timestamptz not null default kernel.now()
);
create index files_sha256 on uploads.files (sha256) where state = 'available';
