create schema retrieval;

-- version counts what is announced about a collection; access_policy_version is the ETag of its list.
create table retrieval.collections (
  tenant_id uuid not null,
  id uuid not null,
  name text not null,
  embedding_profile text not null,
  language text not null,
  access_policy_version bigint not null default 1,
  active_index_version int not null default 1,
  state text not null default 'active' check (state in ('active', 'deleted')),
  version bigint not null default 1,
  created_by uuid not null,
  created_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  primary key (tenant_id, id)
);
create unique index collections_name on retrieval.collections (tenant_id, name)
  where state = 'active';
create index collections_name_words
  on retrieval.collections (tenant_id, kernel.plain(name) collate "C");

create table retrieval.collection_acl (
  tenant_id uuid not null,
  collection_id uuid not null,
  principal_or_group text collate "C" not null,
  permission text not null check (permission in ('read', 'write', 'manage')),
  primary key (tenant_id, collection_id, principal_or_group)
);
create index collection_acl_principal
  on retrieval.collection_acl (tenant_id, principal_or_group, collection_id);

-- One row for each different list of readers in a collection. Rows of an index carry its number; 0
-- stands for the list of the collection.
create table retrieval.acl_sets (
  tenant_id uuid not null,
  id bigint generated always as identity,
  collection_id uuid not null,
  digest bytea not null,
  entries text[] collate "C" not null,
  primary key (tenant_id, id),
  constraint acl_sets_digest unique (tenant_id, collection_id, digest)
);
create index acl_sets_entries on retrieval.acl_sets using gin (entries);

create table retrieval.index_versions (
  tenant_id uuid not null,
  collection_id uuid not null,
  version int not null,
  embedding_profile text not null,
  -- The name of its table in the engine.
  table_id uuid not null,
  state text not null check (state in ('building', 'ready', 'active', 'retired', 'dropped', 'failed')),
  metrics jsonb,
  -- When it is to be activated, and by how much it may be worse.
  plan jsonb,
  created_at timestamptz not null default kernel.now(),
  activated_at timestamptz,
  retired_at timestamptz,
  -- When the bytes of deleted rows were last removed from its files.
  purged_at timestamptz,
  -- One process writes to a table at a time.
  writer_token uuid,
  writer_until timestamptz,
  -- The process that waits for the table and gets it next, until the time.
  next_writer uuid,
  next_writer_until timestamptz,
  -- A table of the engine that is not, or no longer, the one of this version and still has to go. A
  -- process that ends while it moves rows leaves it.
  leftover_table_id uuid,
  primary key (tenant_id, collection_id, version)
);
create unique index index_versions_active on retrieval.index_versions (tenant_id, collection_id)
  where state = 'active';
create unique index index_versions_building on retrieval.index_versions (tenant_id, collection_id)
  where state = 'building';
create index index_versions_retired on retrieval.index_versions (retired_at)
  where state = 'retired';

-- version counts what is announced about a document; due_at is the queue that writes its access list
-- to the indexes. A deleted document keeps its row, so that deleting it again finds its rights.
create table retrieval.documents (
  tenant_id uuid not null,
  id uuid not null,
  no bigint generated always as identity,
  collection_id uuid not null,
  source_kind text not null check (source_kind in ('text', 'file', 'uri', 'connector')),
  source_uri text,
  source_version text,
  file_id uuid,
  connector_id uuid,
  checksum bytea,
  state text not null default 'pending'
    check (state in ('pending', 'processing', 'ready', 'failed', 'deleted')),
  metadata jsonb not null default '{}',
  title text,
  current_version int,
  latest_version int not null default 1,
  chunk_count int not null default 0,
  acl_set_id bigint not null default 0,
  acl_version bigint not null default 1,
  version bigint not null default 0,
  error_code text,
  created_by uuid not null,
  created_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  purge_job_id uuid,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (tenant_id, id)
);
create unique index documents_source_uri
  on retrieval.documents (tenant_id, collection_id, source_uri)
  where deleted_at is null and source_uri is not null;
create index documents_collection on retrieval.documents (tenant_id, collection_id, id)
  where deleted_at is null;
create index documents_no on retrieval.documents (tenant_id, collection_id, no)
  where deleted_at is null;
-- Counts the documents that a caller may read, and finds access lists that no document has.
create index documents_acl_set on retrieval.documents (tenant_id, collection_id, acl_set_id)
  where deleted_at is null;
create index documents_file on retrieval.documents (tenant_id, file_id) where file_id is not null;
create index documents_connector on retrieval.documents (tenant_id, connector_id, id)
  where connector_id is not null and deleted_at is null;
create index documents_due_at on retrieval.documents (due_at) where due_at is not null;

create table retrieval.document_acl (
  tenant_id uuid not null,
  document_id uuid not null,
  principal_or_group text collate "C" not null,
  permission text not null check (permission in ('read', 'write', 'manage')),
  version bigint not null,
  primary key (tenant_id, document_id, principal_or_group)
);

-- What a version was made of, and its canonical text.
create table retrieval.document_versions (
  tenant_id uuid not null,
  document_id uuid not null,
  version int not null,
  input_text text,
  file_id uuid,
  fetch_uri text,
  -- Fetched bytes in the object store.
  blob_key text,
  content_type text,
  title text,
  metadata jsonb not null default '{}',
  source_version text,
  checksum bytea,
  pipeline_version text,
  canonical text,
  -- Headings, pages, and blocks that are not cut, by their offsets.
  outline jsonb,
  created_by uuid not null,
  created_at timestamptz not null default kernel.now(),
  -- The file of the version was deleted or found harmful. A document is served from it only until the
  -- version is ready that is to replace it.
  source_lost boolean not null default false,
  primary key (tenant_id, document_id, version)
);
-- Finds the served document of a file after another source was named for its next version.
create index document_versions_file on retrieval.document_versions (tenant_id, file_id)
  where file_id is not null;

-- The id is the job's own.
create table retrieval.ingestion_jobs (
  tenant_id uuid not null,
  id uuid not null,
  kind text not null check (kind in ('ingest', 'purge', 'reindex', 'sync', 'evaluate')),
  collection_id uuid not null,
  document_id uuid,
  document_version int,
  connector_id uuid,
  index_version int,
  pipeline_version text,
  -- The job's own until it has ended.
  state text not null default 'pending',
  -- What its request said beyond ids.
  input jsonb,
  stage text,
  stages jsonb not null default '{}',
  checkpoint jsonb,
  unchanged boolean,
  result jsonb,
  error_code text,
  submitter_id uuid not null,
  created_at timestamptz not null default kernel.now(),
  completed_at timestamptz,
  primary key (tenant_id, id)
);
create index ingestion_jobs_document on retrieval.ingestion_jobs (tenant_id, document_id, id)
  where document_id is not null;
create index ingestion_jobs_ended on retrieval.ingestion_jobs (completed_at)
  where completed_at is not null;

-- A chunk is the slice [char_start, char_end) of the canonical text, in code points.
create table retrieval.chunks (
  tenant_id uuid not null,
  id uuid not null,
  collection_id uuid not null,
  document_id uuid not null,
  document_version int not null,
  ordinal int not null,
  text_ref uuid not null,
  char_start int not null,
  char_end int not null,
  page int,
  context text not null,
  token_count int not null,
  metadata jsonb not null default '{}',
  content_hash bytea not null,
  pipeline_version text not null,
  -- Where further pages begin in the chunk, in code points of its text: a quote is on its own page.
  page_starts int[] not null default '{}',
  primary key (tenant_id, id),
  constraint chunks_place
    unique (tenant_id, document_id, document_version, pipeline_version, ordinal),
  check (char_start < char_end)
);
create index chunks_content_hash on retrieval.chunks (tenant_id, content_hash);

create table retrieval.chunk_texts (
  tenant_id uuid not null,
  id uuid not null,
  text text not null,
  primary key (tenant_id, id)
);

-- Vectors of one tenant and model by what they were made of, so that equal chunks share one.
create table retrieval.embeddings (
  tenant_id uuid not null,
  embedding_model_version text not null,
  content_hash bytea not null,
  vector bytea not null,
  primary key (tenant_id, embedding_model_version, content_hash)
);

create table retrieval.embedding_records (
  tenant_id uuid not null,
  chunk_id uuid not null,
  embedding_model_version text not null,
  vector_ref bytea not null,
  state text not null check (state in ('pending', 'embedded', 'indexed', 'superseded', 'purged')),
  primary key (tenant_id, chunk_id, embedding_model_version)
);

-- What still has to go of a deleted document. index_version is 0 where it is no index.
create table retrieval.purge_ledger (
  tenant_id uuid not null,
  document_id uuid not null,
  projection text not null check (projection in
    ('index', 'canonical_text', 'chunk_text', 'embedding_cache', 'answers')),
  index_version int not null default 0,
  hidden_at timestamptz not null default kernel.now(),
  erased_at timestamptz,
  done_at timestamptz,
  primary key (tenant_id, document_id, projection, index_version)
);
create index purge_ledger_open on retrieval.purge_ledger (tenant_id, document_id)
  where done_at is null;

create table retrieval.answers (
  tenant_id uuid not null,
  id uuid not null,
  actor_id uuid not null,
  query_hash bytea not null,
  state text not null check (state in ('running', 'completed', 'failed', 'cancelled', 'redacted')),
  outcome text check (outcome in ('answered', 'insufficient_evidence')),
  collection_ids uuid[] not null,
  order_ jsonb,
  retrieval_version text,
  prompt_version text,
  model_version text,
  response_ref uuid,
  usage jsonb,
  degraded text[] not null default '{}',
  error_code text,
  request_id text not null,
  leased_until timestamptz,
  created_at timestamptz not null default kernel.now(),
  completed_at timestamptz,
  primary key (tenant_id, id)
);
create index answers_actor on retrieval.answers (tenant_id, actor_id, id);
create index answers_running on retrieval.answers (leased_until) where state = 'running';
create index answers_created_at on retrieval.answers (created_at);

create table retrieval.answer_texts (
  tenant_id uuid not null,
  id uuid not null,
  query text not null,
  text text,
  primary key (tenant_id, id)
);

-- Ranges count code points: of the chunk's text, and of the answer.
create table retrieval.citations (
  tenant_id uuid not null,
  answer_id uuid not null,
  rank int not null,
  chunk_id uuid not null,
  document_id uuid not null,
  document_version int not null,
  quoted_range int4range not null check (not isempty(quoted_range)),
  answer_range int4range not null check (not isempty(answer_range)),
  primary key (tenant_id, answer_id, rank)
);
create index citations_document on retrieval.citations (tenant_id, document_id);
create index citations_chunk on retrieval.citations (tenant_id, chunk_id);

-- stored: its queries decide about the next index version.
create table retrieval.evaluations (
  tenant_id uuid not null,
  id uuid not null,
  collection_id uuid not null,
  index_version int,
  k int not null,
  queries jsonb,
  stored boolean not null,
  metrics jsonb,
  created_by uuid not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id)
);
create index evaluations_stored on retrieval.evaluations (tenant_id, collection_id, id)
  where stored;

-- due_at is the next sync.
create table retrieval.connectors (
  tenant_id uuid not null,
  id uuid not null,
  collection_id uuid not null,
  kind text not null check (kind in ('web', 'uploads')),
  config jsonb not null,
  state text not null default 'active' check (state in ('active', 'paused', 'error', 'deleted')),
  schedule_seconds int,
  acl jsonb,
  delete_policy text not null check (delete_policy in ('tombstone', 'keep')),
  max_documents int not null,
  error_code text,
  job_id uuid,
  version bigint not null default 1,
  created_by uuid not null,
  created_at timestamptz not null default kernel.now(),
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  -- The narrow session that created it: it adds documents only while that lives and its scope allows it.
  -- Null: it belongs to the account.
  session_id uuid,
  primary key (tenant_id, id)
);
create index connectors_collection on retrieval.connectors (tenant_id, collection_id, id)
  where state <> 'deleted';
create index connectors_due_at on retrieval.connectors (due_at) where due_at is not null;
