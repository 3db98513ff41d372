create schema chat;

-- revision counts the changes of a conversation; each changed row carries the revision of its change.
create table chat.conversations (
  tenant_id uuid not null,
  id uuid not null,
  type text not null check (type in ('direct', 'group')),
  title text,
  state text not null default 'active' check (state in ('active', 'closed')),
  -- Both users of a direct conversation, sorted: a pair has one.
  direct_key text,
  -- The order of a surface that opened the room: repeated, it finds the room.
  order_print bytea,
  created_by uuid not null,
  created_at timestamptz not null default kernel.now(),
  latest_sequence bigint not null default 0,
  revision bigint not null default 1,
  member_count int not null check (member_count >= 0),
  last_message_at timestamptz,
  data_key bytea not null,
  constraint conversations_pkey primary key (tenant_id, id),
  constraint conversations_direct unique (tenant_id, direct_key),
  check ((type = 'direct') = (direct_key is not null))
) with (fillfactor = 60);

create table chat.conversation_members (
  tenant_id uuid not null,
  conversation_id uuid not null,
  user_id uuid not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  -- Messages after joined_sequence and up to left_sequence are this member's.
  joined_sequence bigint not null,
  left_sequence bigint,
  left_reason text check (left_reason in ('left', 'removed', 'erased')),
  left_title text,
  left_count int,
  last_read_sequence bigint not null default 0 check (last_read_sequence <= 9007199254740991),
  revision bigint not null,
  muted_until timestamptz,
  joined_at timestamptz not null default kernel.now(),
  changed_at timestamptz not null default clock_timestamp(),
  -- How far the unread messages were pushed to the member.
  pushed_sequence bigint not null default 0,
  -- Hidden from the member's list until a later message.
  hidden_sequence bigint,
  constraint conversation_members_pkey primary key (tenant_id, conversation_id, user_id),
  foreign key (tenant_id, conversation_id) references chat.conversations (tenant_id, id),
  check ((left_sequence is null) = (left_reason is null))
) with (fillfactor = 80);
create index conversation_members_active
  on chat.conversation_members (tenant_id, user_id) where left_sequence is null;
create index conversation_members_user on chat.conversation_members (user_id);
-- Finds memberships whose hint was lost.
create index conversation_members_changed on chat.conversation_members (changed_at);

create table chat.messages (
  tenant_id uuid not null,
  conversation_id uuid not null,
  id uuid not null,
  sequence bigint not null check (sequence > 0),
  sender_id uuid not null,
  client_request_id text not null,
  -- Null once the message was erased: its key is taken for ever and matches nothing.
  request_fingerprint bytea,
  body_cipher_or_ref bytea,
  reply_to_sequence bigint,
  attachment_count int not null default 0,
  version int not null default 1,
  revision bigint not null,
  created_at timestamptz not null default kernel.now(),
  edited_at timestamptz,
  deleted_at timestamptz,
  deleted_by uuid,
  created_event_id uuid not null,
  changed_event_id uuid,
  constraint messages_pkey primary key (tenant_id, conversation_id, id),
  constraint messages_sequence unique (tenant_id, conversation_id, sequence),
  constraint messages_request unique (tenant_id, conversation_id, sender_id, client_request_id),
  foreign key (tenant_id, conversation_id) references chat.conversations (tenant_id, id),
  check (deleted_at is null or body_cipher_or_ref is null)
);
create index messages_revision on chat.messages (tenant_id, conversation_id, revision);

create table chat.message_versions (
  tenant_id uuid not null,
  conversation_id uuid not null,
  message_id uuid not null,
  version int not null,
  -- Null if the message had only attachments.
  body_ref bytea,
  edited_at timestamptz not null default kernel.now(),
  -- The revision of the edit that replaced this text. Who left before still sees it.
  replaced_at_revision bigint not null,
  constraint message_versions_pkey primary key (tenant_id, conversation_id, message_id, version),
  foreign key (tenant_id, conversation_id, message_id)
    references chat.messages (tenant_id, conversation_id, id)
);

create table chat.attachments (
  tenant_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  uploader_id uuid not null,
  upload_id uuid not null,
  file_id uuid,
  message_id uuid,
  position int,
  state text not null default 'pending'
    check (state in ('pending', 'processing', 'available', 'rejected', 'deleted')),
  filename text,
  media_type text,
  size bigint not null,
  created_at timestamptz not null default kernel.now(),
  expires_at timestamptz not null,
  constraint attachments_pkey primary key (tenant_id, id),
  constraint attachments_upload unique (tenant_id, upload_id),
  foreign key (tenant_id, conversation_id) references chat.conversations (tenant_id, id)
);
create index attachments_message on chat.attachments (tenant_id, conversation_id, message_id)
  where message_id is not null;
create index attachments_file on chat.attachments (tenant_id, file_id) where file_id is not null;
create index attachments_unsent on chat.attachments (expires_at) where message_id is null;
create index attachments_uploader on chat.attachments (uploader_id);

create table chat.devices (
  tenant_id uuid not null,
  user_id uuid not null,
  id uuid not null,
  platform text not null check (platform in ('web', 'ios', 'android', 'other')),
  push_token_ref uuid,
  -- One push token belongs to one device at a time.
  push_token_hash bytea,
  session_id uuid,
  created_at timestamptz not null default kernel.now(),
  last_seen_at timestamptz not null default kernel.now(),
  constraint devices_pkey primary key (tenant_id, user_id, id),
  constraint devices_push_token unique (tenant_id, push_token_hash)
);
create index devices_session on chat.devices (session_id) where session_id is not null;
create index devices_user on chat.devices (user_id);

-- One row for each conversation with messages that may have to be pushed, up to the latest one.
create table chat.pushes (
  tenant_id uuid not null,
  conversation_id uuid not null,
  pushed_sequence bigint not null default 0,
  pushed_at timestamptz,
  due_at timestamptz,
  attempts int not null default 0,
  lease_token uuid,
  leased_until timestamptz,
  last_error_code text,
  constraint pushes_pkey primary key (tenant_id, conversation_id),
  foreign key (tenant_id, conversation_id) references chat.conversations (tenant_id, id)
);
create index pushes_due on chat.pushes (due_at) where due_at is not null;

-- Appends a batch of messages, with their events and pushes. The conversations are locked first, so that
-- sequences rise in the order of commits; p_wait false skips those that are locked ('busy'). A number is
-- taken only by a message that is inserted, so there are no gaps. The function is volatile: what follows the
-- lock sees everything that was committed before it. A push that is due early enough is not written again: a
-- busy room would otherwise hold the row that the queue of pushes wants to claim. So the end of a push locks
-- the conversation, and looks for newer messages.
create function chat.append(
  p_tenant_ids uuid[], p_conversation_ids uuid[], p_sender_ids uuid[], p_message_ids uuid[],
  p_request_ids text[], p_fingerprints bytea[], p_bodies bytea[], p_replies bigint[],
  p_attachments text[], p_event_ids uuid[], p_blocked boolean[], p_wait boolean,
  p_push_delay interval, p_push_group interval, p_traceparent text, p_written_by text
) returns table (
  item int, outcome text, message_id uuid, message_sequence bigint, message_revision bigint,
  event_id uuid, created_at timestamptz
) language plpgsql volatile
-- A plan that was made while the tables were small must not read them whole later.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_held uuid[];
  v_now timestamptz := kernel.now();
begin
  if p_wait then
    select array_agg(l.id) into v_held from (
      select c.id from chat.conversations c
      where (c.tenant_id, c.id) in (
        select t.tenant_id, t.id from unnest(p_tenant_ids, p_conversation_ids) t (tenant_id, id))
      order by c.id for no key update) l;
  else
    select array_agg(l.id) into v_held from (
      select c.id from chat.conversations c
      where (c.tenant_id, c.id) in (
        select t.tenant_id, t.id from unnest(p_tenant_ids, p_conversation_ids) t (tenant_id, id))
      order by c.id for no key update skip locked) l;
  end if;
  return query
  with items as materialized (
    select i.ord::int as ord, i.tenant_id, i.conversation_id, i.sender_id, i.id, i.request_id,
      i.fingerprint, i.body, i.reply_to, i.files::uuid[] as files, i.event_id, i.blocked,
      c.latest_sequence, c.revision, c.state, c.type
    from unnest(p_tenant_ids, p_conversation_ids, p_sender_ids, p_message_ids, p_request_ids,
      p_fingerprints, p_bodies, p_replies, p_attachments, p_event_ids, p_blocked) with ordinality
      i (tenant_id, conversation_id, sender_id, id, request_id, fingerprint, body, reply_to, files,
        event_id, blocked, ord)
    left join chat.conversations c on c.tenant_id = i.tenant_id and c.id = i.conversation_id
      and c.id = any(v_held)
  ), known as materialized (
    select i.*, d.id as known_id, d.sequence as known_sequence, d.revision as known_revision,
      d.created_event_id as known_event_id, d.created_at as known_at,
      case
        when d.request_fingerprint = i.fingerprint then 'duplicate'
        when d.id is not null then 'conflict'
        when i.blocked then 'blocked'
        when i.state is null then case when p_wait then 'unknown' else 'busy' end
        when b.user_id is null then 'unknown'
        when b.left_sequence is not null then 'left'
        when i.state <> 'active' then 'closed'
        when i.reply_to > i.latest_sequence or i.reply_to <= b.joined_sequence then 'reply'
        when cardinality(i.files) > 0 and cardinality(i.files) <> (
          select count(*) from chat.attachments a
          where a.tenant_id = i.tenant_id and a.id = any(i.files)
            and a.conversation_id = i.conversation_id and a.uploader_id = i.sender_id
            and a.message_id is null and a.state in ('processing', 'available')) then 'attachment'
        else 'accepted' end as verdict
    from items i
    left join chat.messages d on d.tenant_id = i.tenant_id
      and d.conversation_id = i.conversation_id and d.sender_id = i.sender_id
      and d.client_request_id = i.request_id
    left join chat.conversation_members b on b.tenant_id = i.tenant_id
      and b.conversation_id = i.conversation_id and b.user_id = i.sender_id
  ), checked as materialized (
    select k.*, row_number() over (
      partition by k.tenant_id, k.conversation_id, k.verdict = 'accepted' order by k.ord) as n
    from known k
  ), grown as materialized (
    select j.tenant_id, j.conversation_id, j.type, count(*) as n from checked j
    where j.verdict = 'accepted' group by j.tenant_id, j.conversation_id, j.type
  ), inserted as (
    insert into chat.messages (tenant_id, conversation_id, id, sequence, sender_id,
      client_request_id, request_fingerprint, body_cipher_or_ref, reply_to_sequence,
      attachment_count, revision, created_event_id, created_at)
    select j.tenant_id, j.conversation_id, j.id, j.latest_sequence + j.n, j.sender_id,
      j.request_id, j.fingerprint, j.body, j.reply_to, cardinality(j.files), j.revision + j.n,
      j.event_id, v_now
    from checked j where j.verdict = 'accepted' order by j.ord
  ), heads as (
    update chat.conversations c
    set latest_sequence = c.latest_sequence + g.n, revision = c.revision + g.n,
      last_message_at = v_now
    from grown g where c.tenant_id = g.tenant_id and c.id = g.conversation_id
  ), readers as (
    update chat.conversation_members b
    set last_read_sequence = greatest(b.last_read_sequence, s.top)
    from (
      select j.tenant_id, j.conversation_id, j.sender_id, max(j.latest_sequence + j.n) as top
      from checked j where j.verdict = 'accepted'
      group by j.tenant_id, j.conversation_id, j.sender_id) s
    where b.tenant_id = s.tenant_id and b.conversation_id = s.conversation_id
      and b.user_id = s.sender_id
  ), files as (
    update chat.attachments a set message_id = j.id, position = f.place::int
    from checked j cross join lateral unnest(j.files) with ordinality f (id, place)
    where j.verdict = 'accepted' and a.tenant_id = j.tenant_id and a.id = f.id
  ), pushes as (
    insert into chat.pushes (tenant_id, conversation_id, due_at)
    select g.tenant_id, g.conversation_id, w.due_at
    from grown g
    left join chat.pushes p on p.tenant_id = g.tenant_id and p.conversation_id = g.conversation_id
    cross join lateral (select greatest(v_now + p_push_delay,
      case g.type when 'group' then p.pushed_at + p_push_group end) as due_at) w
    where p.due_at is null or (p.due_at > w.due_at and p.last_error_code is null)
    on conflict on constraint pushes_pkey do update
    set due_at = excluded.due_at, attempts = 0, last_error_code = null
  ), emitted as materialized (
    select kernel.emit('message.created', 1, 'conversation', array_agg(e.event_id),
      array_agg(e.tenant_id), array_agg(e.conversation_id), array_agg(e.revision + e.n),
      array_agg(jsonb_build_object('conversation_id', e.conversation_id, 'message_id', e.id,
        'sequence', e.latest_sequence + e.n, 'sender_id', e.sender_id, 'version', 1)),
      p_traceparent, p_written_by)
    from (select * from checked j where j.verdict = 'accepted' order by j.ord) e
  )
  select j.ord, j.verdict,
    case j.verdict when 'accepted' then j.id else j.known_id end,
    case j.verdict when 'accepted' then j.latest_sequence + j.n else j.known_sequence end,
    case j.verdict when 'accepted' then j.revision + j.n else j.known_revision end,
    case j.verdict when 'accepted' then j.event_id else j.known_event_id end,
    case j.verdict when 'accepted' then v_now else j.known_at end
  from checked j cross join emitted;
end $$;
