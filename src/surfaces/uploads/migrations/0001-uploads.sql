-- Uploads and the files that come of them. A storage key belongs to one upload or derivative for ever, so
-- what an orphan sweep finds under a key that no row names belongs to nobody.

create schema if not exists uploads;

-- Bytes that a tenant has reserved: counted at initiation, released when the bytes are gone. The upper
-- bound is in the UPDATE that reserves, because it is a setting.
create table uploads.tenant_usage (
  tenant_id uuid primary key,
  reserved_bytes bigint not null default 0 check (reserved_bytes >= 0)
);

create table uploads.uploads (
  tenant_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  purpose text not null,
  media_category text not null,
  storage_key text not null unique,
  expected_size bigint not null check (expected_size > 0),
  -- Null until completion where the purpose allows it.
  expected_checksum bytea check (octet_length(expected_checksum) = 32),
  claimed_type text,
  detected_type text,
  filename text check (length(filename) <= 255),
  part_size int not null,
  part_count int not null check (part_count between 1 and 10000),
  state text not null default 'initiated'
    check (state in ('initiated', 'uploaded', 'available', 'quarantined', 'aborted', 'expired')),
  -- The store's name of the multipart upload; null once its parts are removed.
  multipart_upload_id text,
  -- What of it still counts against the tenant; it moves to the file at completion.
  reserved_bytes bigint not null,
  error_code text,
  -- Verification is a due queue: set by completion, so that a crash only delays its end.
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  version bigint not null default 1,
  expires_at timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  -- When what is left of a refused upload is removed.
  retention_until timestamptz,
  -- The checksum that a completion states where none was declared at the beginning. It binds nothing
  -- before the bytes have it, so that a mistyped one can be corrected.
  given_checksum bytea check (octet_length(given_checksum) = 32),
  primary key (tenant_id, id)
);
-- A signed URL names an upload and no tenant.
create unique index uploads_id on uploads.uploads (id);
create index uploads_open on uploads.uploads (tenant_id, owner_id) where state = 'initiated';
-- What a person has in any tenant, for export and erasure.
create index uploads_person on uploads.uploads (owner_id)
  where state = 'initiated' or filename is not null;
create index uploads_expiry on uploads.uploads (expires_at) where state = 'initiated';
create index uploads_due on uploads.uploads (due_at) where due_at is not null;
create index uploads_parts_left on uploads.uploads (retention_until)
  where multipart_upload_id is not null and state <> 'initiated';
create unique index uploads_references on uploads.uploads (multipart_upload_id)
  where multipart_upload_id is not null;

create table uploads.upload_parts (
  tenant_id uuid not null,
  upload_id uuid not null,
  part_number int not null check (part_number between 1 and 10000),
  etag text not null,
  size bigint not null,
  -- Null where the store does not compute it.
  sha256 bytea,
  -- How the store tells two versions of one part apart.
  name text not null,
  received_at timestamptz not null default kernel.now(),
  -- The name that the last version of the part replaced. The statement that writes it returns it: the
  -- name before an update is not visible to a statement otherwise, if another one ran in between.
  replaced_name text,
  primary key (tenant_id, upload_id, part_number),
  foreign key (tenant_id, upload_id) references uploads.uploads on delete cascade
);

create table uploads.files (
  tenant_id uuid not null,
  id uuid not null,
  upload_id uuid not null,
  owner_id uuid not null,
  purpose text not null,
  storage_key text not null unique,
  storage_version text not null,
  size bigint not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  media_category text not null,
  claimed_type text,
  detected_type text,
  filename text,
  state text not null default 'uploaded'
    check (state in ('uploaded', 'available', 'quarantined', 'deleted', 'purged')),
  error_code text,
  -- The next stage of processing; null once nothing is left to do.
  stage text default 'detect' check (stage in ('detect', 'scan', 'derive')),
  scan_result jsonb,
  metadata jsonb,
  reserved_bytes bigint not null,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  available_at timestamptz,
  retention_until timestamptz,
  deleted_at timestamptz,
  primary key (tenant_id, id),
  -- Whatever repeats a completion, it makes one file.
  unique (tenant_id, upload_id),
  foreign key (tenant_id, upload_id) references uploads.uploads,
  check ((state = 'available') <= (available_at is not null)),
  check ((state in ('deleted', 'purged')) = (deleted_at is not null))
);
-- A signed URL names a file and no tenant; a sweep walks over all files in order.
create unique index files_id on uploads.files (id);
create index files_owner on uploads.files (tenant_id, owner_id, id);
create index files_name on uploads.files (tenant_id, kernel.plain(filename) collate "C");
-- What a person has in any tenant, for export and erasure.
create index files_person on uploads.files (owner_id, id);
-- Files whose content is blocked: also those that are still processed.
create index files_content on uploads.files (sha256) where state in ('available', 'uploaded');
create index files_due on uploads.files (due_at) where due_at is not null;
create index files_retention on uploads.files (retention_until) where retention_until is not null;

create table uploads.derivatives (
  tenant_id uuid not null,
  id uuid not null,
  file_id uuid not null,
  kind text not null check (kind in ('thumbnail', 'preview', 'sanitized')),
  storage_key text not null unique,
  storage_version text,
  state text not null default 'pending' check (state in ('pending', 'ready', 'failed', 'deleted')),
  size bigint,
  sha256 bytea check (octet_length(sha256) = 32),
  media_type text,
  width int,
  height int,
  primary key (tenant_id, id),
  unique (tenant_id, file_id, kind),
  foreign key (tenant_id, file_id) references uploads.files on delete cascade,
  check ((state = 'ready') <= (size is not null and sha256 is not null and storage_version is not null))
);

create table uploads.processing_attempts (
  tenant_id uuid not null,
  id uuid not null,
  file_id uuid not null,
  stage text not null,
  status text not null check (status in ('succeeded', 'retryable', 'failed')),
  error_code text,
  started_at timestamptz not null,
  ended_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, file_id) references uploads.files on delete cascade
);
create index processing_attempts_file on uploads.processing_attempts (tenant_id, file_id);
create index processing_attempts_age on uploads.processing_attempts (started_at);

-- Contents that no tenant may store, by digest: set by the operator of the platform.
create table uploads.blocked_hashes (
  sha256 bytea primary key check (octet_length(sha256) = 32),
  reason text not null check (length(reason) <= 200),
  created_by text not null,
  created_at timestamptz not null default kernel.now()
);
