create schema bookmarks;

create table bookmarks.bookmarks (
  tenant_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  url text not null,
  title text not null,
  tags text[] not null,
  stale boolean not null default false,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  -- A queue: due_at says when the bookmark becomes stale.
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (tenant_id, id)
);
create index bookmarks_list on bookmarks.bookmarks (tenant_id, owner_id, id desc)
  where deleted_at is null;
create index bookmarks_owner on bookmarks.bookmarks (owner_id, id);
create index bookmarks_due_at on bookmarks.bookmarks (due_at) where due_at is not null;
create index bookmarks_deleted on bookmarks.bookmarks (deleted_at) where deleted_at is not null;
