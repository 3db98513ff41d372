create schema social;

-- People, as this surface shows them; the row of a member is made when it is first needed.
create table social.users (
  tenant_id uuid not null,
  id uuid not null,
  privacy_state text not null default 'public' check (privacy_state in ('public', 'private')),
  profile_version bigint not null default 1,
  handle text collate "C" not null check (handle ~ '^[a-z0-9_.]{3,30}$'),
  display_name text not null default '',
  bio text not null default '',
  avatar_file_id uuid,
  moderation_state text not null default 'active'
    check (moderation_state in ('active', 'suspended')),
  created_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  -- The queue of pending follow requests that become active when the account goes public.
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (tenant_id, id),
  constraint users_handle unique (tenant_id, handle)
);
-- An erasure hides a person of any tenant in its own transaction.
create index users_id on social.users (id);
create index users_due_at on social.users (due_at) where due_at is not null;
create index users_avatar on social.users (tenant_id, avatar_file_id)
  where avatar_file_id is not null;

-- The handle that everybody begins with, and the one that keeps a deleted person's handle taken.
create function social.first_handle(account uuid) returns text
  language sql immutable parallel safe return
  'user_' || right(replace(account::text, '-', ''), 12);
create function social.reserved_handle(handle text) returns text
  language sql immutable parallel safe return
  'x' || left(encode(sha256(convert_to(handle, 'UTF8')), 'hex'), 29);

-- None of these tables has a foreign key: a like would lock the row of a popular post.
create table social.follows (
  tenant_id uuid not null,
  follower_id uuid not null,
  followed_id uuid not null,
  state text not null check (state in ('pending', 'active')),
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, follower_id, followed_id),
  check (follower_id <> followed_id)
);
create index follows_followers on social.follows (tenant_id, followed_id, follower_id)
  where state = 'active';
create index follows_newest_followers
  on social.follows (tenant_id, followed_id, created_at desc, follower_id desc)
  where state = 'active';
create index follows_newest_following
  on social.follows (tenant_id, follower_id, created_at desc, followed_id desc)
  where state = 'active';
create index follows_requests on social.follows (tenant_id, followed_id, created_at, follower_id)
  where state = 'pending';
create index follows_requested on social.follows (tenant_id, follower_id) where state = 'pending';

create table social.blocks (
  tenant_id uuid not null,
  blocker_id uuid not null,
  blocked_id uuid not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, blocker_id, blocked_id),
  check (blocker_id <> blocked_id)
);
create index blocks_blocked on social.blocks (tenant_id, blocked_id, blocker_id);

create table social.mutes (
  tenant_id uuid not null,
  muter_id uuid not null,
  muted_id uuid not null,
  expires_at timestamptz,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, muter_id, muted_id),
  check (muter_id <> muted_id)
);
create index mutes_muted on social.mutes (tenant_id, muted_id);

create table social.posts (
  tenant_id uuid not null,
  id uuid not null,
  author_id uuid not null,
  body_ref uuid,
  visibility text not null check (visibility in ('public', 'followers', 'private')),
  created_at timestamptz not null,
  deleted_at timestamptz,
  version bigint not null default 1,
  edited_at timestamptz,
  -- created_at in microseconds: what orders feeds and lists.
  rank_or_time bigint not null,
  moderation_state text not null default 'none' check (moderation_state in ('none', 'removed')),
  fanout_state text not null check (fanout_state in ('pending', 'done', 'pull')),
  -- The last follower whose feed has it.
  fanout_after uuid,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (tenant_id, id),
  check (deleted_at is null or body_ref is null)
) with (fillfactor = 90);
create index posts_author on social.posts (tenant_id, author_id, rank_or_time desc, id desc)
  where deleted_at is null;
create index posts_pending on social.posts (tenant_id, rank_or_time desc, id desc)
  where fanout_state = 'pending';
create index posts_unpushed on social.posts (tenant_id, author_id, rank_or_time desc, id desc)
  where fanout_state <> 'done';
create index posts_due_at on social.posts (due_at) where due_at is not null;

-- A body is never changed: an edit adds one. Deleting a post deletes all of its bodies.
create table social.post_bodies (
  tenant_id uuid not null,
  id uuid not null,
  post_id uuid not null,
  body text not null,
  primary key (tenant_id, id)
);
create index post_bodies_post on social.post_bodies (tenant_id, post_id);

create table social.post_versions (
  tenant_id uuid not null,
  post_id uuid not null,
  version bigint not null,
  body_ref uuid not null,
  edited_at timestamptz not null,
  -- Who could read the text when another one took its place.
  visibility text collate "C" not null,
  primary key (tenant_id, post_id, version)
);

create table social.post_media (
  tenant_id uuid not null,
  post_id uuid not null,
  object_id uuid not null,
  position int not null,
  primary key (tenant_id, post_id, position)
);
create index post_media_object on social.post_media (tenant_id, object_id);

create table social.likes (
  tenant_id uuid not null,
  post_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, post_id, user_id)
);
create index likes_user on social.likes (tenant_id, user_id, created_at);

create table social.comments (
  tenant_id uuid not null,
  id uuid not null,
  post_id uuid not null,
  author_id uuid not null,
  body text,
  created_at timestamptz not null default kernel.now(),
  deleted_at timestamptz,
  deleted_by uuid,
  moderation_state text not null default 'none' check (moderation_state in ('none', 'removed')),
  primary key (tenant_id, id),
  check ((deleted_at is null) = (body is not null))
);
create index comments_post on social.comments (tenant_id, post_id, created_at, id)
  where deleted_at is null;
create index comments_author on social.comments (tenant_id, author_id, id);

-- A projection: what each reader's feed holds down to the floor of their state.
create table social.feed_entries (
  tenant_id uuid not null,
  user_id uuid not null,
  rank_or_time bigint not null,
  post_id uuid not null,
  source_author_id uuid not null,
  primary key (tenant_id, user_id, rank_or_time, post_id) include (source_author_id)
) partition by hash (user_id);
do $$ begin
  for part in 0..15 loop
    execute format('create table social.feed_entries_%s partition of social.feed_entries
      for values with (modulus 16, remainder %s) with (fillfactor = 90)', part, part);
  end loop;
end $$;

-- cold: no entries. building: posts are pushed, the rest is still to be collected. warm: entries are complete
-- for ranks from floor_rank on.
create table social.feed_state (
  tenant_id uuid not null,
  user_id uuid not null,
  state text not null check (state in ('cold', 'building', 'warm')),
  floor_rank bigint not null default 0,
  built_at timestamptz,
  last_read_at timestamptz not null default kernel.now(),
  swept_at timestamptz not null default kernel.now(),
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (tenant_id, user_id)
);
create index feed_state_due_at on social.feed_state (due_at) where due_at is not null;
create index feed_state_swept on social.feed_state (swept_at) where state = 'warm';

-- Authors that have posts which are read and not pushed.
create table social.feed_pull_authors (
  tenant_id uuid not null,
  author_id uuid not null,
  primary key (tenant_id, author_id)
);

-- Followed authors whose earlier posts are not in the reader's entries yet.
create table social.feed_pending_sources (
  tenant_id uuid not null,
  user_id uuid not null,
  author_id uuid not null,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  primary key (tenant_id, user_id, author_id)
);
create index feed_pending_sources_due_at on social.feed_pending_sources (due_at)
  where due_at is not null;

-- A projection, approximate for at most seconds; never used for authorization.
create table social.counter_projections (
  tenant_id uuid not null,
  subject_type text collate "C" not null check (subject_type in ('post', 'user')),
  subject_id uuid not null,
  kind text collate "C" not null
    check (kind in ('likes', 'comments', 'followers', 'following', 'posts')),
  value bigint not null,
  updated_at timestamptz not null default kernel.now(),
  primary key (tenant_id, subject_type, subject_id, kind)
) with (fillfactor = 80);

-- What changed and is not counted yet. Rows are deleted by their place, so there is no key.
create table social.counter_deltas (
  tenant_id uuid not null,
  subject_type text collate "C" not null,
  subject_id uuid not null,
  kind text collate "C" not null,
  delta bigint not null
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);

create table social.moderation_cases (
  tenant_id uuid not null,
  id uuid not null,
  subject_type text not null check (subject_type in ('post', 'comment', 'user')),
  subject_id uuid not null,
  subject_author_id uuid not null,
  state text not null default 'open' check (state in
    ('open', 'in_review', 'actioned', 'dismissed', 'appealed', 'upheld', 'reversed')),
  category text not null,
  priority smallint not null check (priority between 1 and 3),
  report_count int not null default 0,
  assigned_to uuid,
  appeal_statement text,
  appealed_at timestamptz,
  version bigint not null default 1,
  created_at timestamptz not null default kernel.now(),
  resolved_at timestamptz,
  primary key (tenant_id, id)
);
create unique index moderation_cases_unresolved
  on social.moderation_cases (tenant_id, subject_type, subject_id)
  where state in ('open', 'in_review');
create index moderation_cases_listed on social.moderation_cases (tenant_id, priority desc, id);
create index moderation_cases_state
  on social.moderation_cases (tenant_id, state, priority desc, id);
create index moderation_cases_author on social.moderation_cases (tenant_id, subject_author_id, id);

create table social.moderation_reports (
  tenant_id uuid not null,
  id uuid not null,
  case_id uuid not null,
  reporter_id uuid not null,
  category text not null,
  note text,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id),
  constraint moderation_reports_once unique (tenant_id, case_id, reporter_id)
);
create index moderation_reports_reporter on social.moderation_reports (tenant_id, reporter_id, id);

create table social.moderation_actions (
  tenant_id uuid not null,
  id uuid not null,
  case_id uuid not null,
  action text not null check (action in ('assign', 'dismiss', 'remove', 'restore',
    'suspend_user', 'reinstate_user', 'resolve_appeal')),
  outcome text check (outcome in ('upheld', 'reversed')),
  reason_code text not null,
  statement text not null,
  actor_id uuid not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id)
);
create index moderation_actions_case on social.moderation_actions (tenant_id, case_id, id);
select kernel.make_append_only('social.moderation_actions');
