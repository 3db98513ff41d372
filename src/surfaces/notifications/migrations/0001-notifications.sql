create schema notifications;

-- What a tenant defines beside the built-in categories.
create table notifications.categories (
  tenant_id uuid not null,
  name text collate "C" not null check (name ~ '^[a-z0-9_]+(\.[a-z0-9_]+)*$' and length(name) <= 64),
  class text not null check (class in ('transactional', 'operational', 'marketing')),
  default_channels text[] not null,
  user_can_disable boolean not null,
  respects_quiet_hours boolean not null,
  unsubscribe boolean not null,
  default_ttl_seconds int not null,
  on_unknown text not null check (on_unknown in ('resend_same_ref', 'give_up')),
  version int not null default 1,
  updated_at timestamptz not null default kernel.now(),
  primary key (tenant_id, name)
);

create table notifications.template_versions (
  tenant_id uuid not null,
  name text collate "C" not null,
  version int not null,
  status text not null default 'draft' check (status in ('draft', 'published', 'archived')),
  default_locale text not null,
  data_schema jsonb,
  created_by uuid not null,
  created_at timestamptz not null default kernel.now(),
  published_at timestamptz,
  primary key (tenant_id, name, version)
);
create index template_versions_latest on notifications.template_versions (tenant_id, name, version desc)
  where status = 'published';

-- One row a channel. Subject and body are those of the default locale; `locales` holds the others.
create table notifications.template_texts (
  tenant_id uuid not null,
  id uuid not null,
  name text collate "C" not null,
  version int not null,
  channel text not null check (channel in ('email', 'sms', 'push', 'in_app')),
  format text not null default 'text' check (format in ('html', 'text')),
  subject text,
  body text not null,
  text_body text,
  url text,
  locales jsonb not null default '{}',
  primary key (tenant_id, name, version, channel),
  unique (tenant_id, id),
  constraint template_texts_version_fkey foreign key (tenant_id, name, version)
    references notifications.template_versions (tenant_id, name, version)
);

-- The record of the specification: the texts of one channel and the status of their version.
create view notifications.templates as
select t.id, t.tenant_id, t.name, t.version, t.channel, t.format, t.subject, t.body, t.text_body,
  t.url, t.locales, v.status, v.default_locale, v.data_schema, v.created_at, v.published_at
from notifications.template_texts t
join notifications.template_versions v
  on v.tenant_id = t.tenant_id and v.name = t.name and v.version = t.version;

-- A version that was published renders the same for ever.
create function notifications.refuse_change_of_published()
returns trigger language plpgsql as $$
begin
  if tg_table_name = 'template_texts' then
    if exists (select from notifications.template_versions v
        where v.tenant_id = old.tenant_id and v.name = old.name and v.version = old.version
          and v.status <> 'draft') then
      raise exception 'a published template version does not change';
    end if;
  elsif old.status <> 'draft' and (
    (new.tenant_id, new.name, new.version, new.default_locale, new.data_schema, new.published_at)
      is distinct from
    (old.tenant_id, old.name, old.version, old.default_locale, old.data_schema, old.published_at)
    or new.status = 'draft') then
    raise exception 'a published template version does not change';
  end if;
  return new;
end $$;
create trigger template_texts_immutable before update on notifications.template_texts
  for each row execute function notifications.refuse_change_of_published();
create trigger template_versions_immutable before update on notifications.template_versions
  for each row execute function notifications.refuse_change_of_published();

-- Data keys, wrapped by the platform's keyring: of a user, of an address without an account, of a batch.
-- Deleting the row makes everything sealed with it unreadable for ever.
create table notifications.data_keys (
  tenant_id uuid not null,
  owner_id uuid not null,
  wrapped bytea not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, owner_id)
);

create table notifications.destinations (
  tenant_id uuid not null,
  id uuid not null,
  user_id uuid,
  channel text not null check (channel in ('email', 'sms', 'push')),
  provider text not null default '',
  destination_hash bytea not null,
  ciphertext bytea not null,
  masked text not null,
  verified_at timestamptz,
  disabled_at timestamptz,
  code_hash bytea,
  code_expires_at timestamptz,
  code_attempts int not null default 0,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id)
);
create unique index destinations_of_users on notifications.destinations
  (tenant_id, user_id, channel, destination_hash) where user_id is not null;
create unique index destinations_alone on notifications.destinations
  (tenant_id, channel, destination_hash) where user_id is null;
create index destinations_hash on notifications.destinations (destination_hash);

create table notifications.preference_sets (
  tenant_id uuid not null,
  user_id uuid not null,
  timezone text not null,
  locale text,
  version int not null default 1,
  updated_at timestamptz not null default kernel.now(),
  primary key (tenant_id, user_id)
);

create table notifications.preferences (
  tenant_id uuid not null,
  user_id uuid not null,
  category text collate "C" not null,
  channel text not null,
  enabled boolean not null,
  quiet_hours jsonb,
  timezone text,
  primary key (tenant_id, user_id, category, channel),
  foreign key (tenant_id, user_id) references notifications.preference_sets (tenant_id, user_id)
    on delete cascade
);

-- The hash is keyed by the tenant, so one address has another hash in each tenant.
create table notifications.suppressions (
  tenant_id uuid not null,
  id uuid not null,
  destination_hash bytea not null,
  channel text not null check (channel in ('email', 'sms', 'push')),
  category text collate "C" not null default '*',
  reason text not null check (reason in
    ('hard_bounce', 'complaint', 'unsubscribe', 'stop_keyword', 'invalid_destination', 'manual')),
  effective_at timestamptz not null default kernel.now(),
  -- From when a mail of class security may be tried in spite of a bounce.
  retry_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, destination_hash, channel, category)
);
create index suppressions_effective_at on notifications.suppressions (tenant_id, effective_at);

-- What was deleted by its id: deleting it again is no mistake.
create table notifications.removed_ids (
  tenant_id uuid not null,
  id uuid not null,
  removed_at timestamptz not null default kernel.now(),
  primary key (tenant_id, id)
);
create index removed_ids_removed_at on notifications.removed_ids (removed_at);

create table notifications.notification_batches (
  tenant_id uuid not null,
  id uuid not null,
  principal_id uuid not null,
  state text not null check (state in ('expanding', 'dispatching', 'paused', 'completed', 'cancelled')),
  category text not null,
  priority text not null,
  lane smallint not null,
  template_version text not null,
  emit_events boolean not null,
  total int not null default 0,
  duplicates int not null default 0,
  rejected_count int not null default 0,
  rejected jsonb not null default '[]',
  expand_token uuid,
  expand_until timestamptz,
  version int not null default 0,
  created_at timestamptz not null default kernel.now(),
  completed_at timestamptz,
  -- The narrow session of the sender: what is sent later has no more rights than that, and ends with it.
  -- Null: it belongs to the account.
  session_id uuid,
  primary key (tenant_id, id)
);
-- The batches that a person or their API keys sent, for the export of the person.
create index notification_batches_sender on notifications.notification_batches
  (tenant_id, principal_id, id);
-- An id begins with the time of the request, and a retry may write the row much later.
create index notification_batches_created_at on notifications.notification_batches
  (tenant_id, created_at);
create index notification_batches_open on notifications.notification_batches (lane, id)
  where state in ('expanding', 'dispatching', 'cancelled') and completed_at is null;

create table notifications.notification_inputs (
  tenant_id uuid not null,
  ref uuid not null,
  owner_id uuid not null,
  ciphertext bytea not null,
  bytes int not null,
  primary key (tenant_id, ref)
);

create table notifications.notification_intents (
  tenant_id uuid not null,
  id uuid not null,
  recipient_ref text not null,
  category text not null,
  priority text not null check (priority in ('critical', 'high', 'normal', 'bulk')),
  template_version text not null,
  locale text,
  data_ref uuid,
  scheduled_at timestamptz,
  idempotency_key text,
  state text not null check (state in ('scheduled', 'queued', 'held', 'processing', 'sent', 'delivered',
    'failed', 'suppressed', 'cancelled', 'expired')),
  expires_at timestamptz not null,
  principal_id uuid,
  request_fingerprint bytea,
  batch_id uuid,
  digest_id uuid,
  -- The digest whose one message this is.
  closes_digest uuid,
  dedupe_key text,
  metadata jsonb,
  emits boolean not null default true,
  events int not null default 0,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  -- The W3C trace in which the notification was accepted; the events of its outcome continue it.
  traceparent text,
  -- An attempt that was being sent at this time is not tried again.
  cancelled_at timestamptz,
  -- As in notification_batches.
  session_id uuid,
  primary key (tenant_id, id)
) with (fillfactor = 85);
create unique index notification_intents_key on notifications.notification_intents
  (tenant_id, principal_id, idempotency_key) where idempotency_key is not null;
create unique index notification_intents_batch on notifications.notification_intents
  (tenant_id, batch_id, recipient_ref, dedupe_key) nulls not distinct where batch_id is not null;
create index notification_intents_recipient on notifications.notification_intents
  (tenant_id, recipient_ref, id desc);
create index notification_intents_created on notifications.notification_intents using brin (created_at);
create index notification_intents_digest on notifications.notification_intents (tenant_id, digest_id)
  where digest_id is not null;

-- The last intent of a recipient, category and key, so that the same is not told twice in a window.
create table notifications.dedupe_windows (
  tenant_id uuid not null,
  recipient_ref text not null,
  category text not null,
  key text not null,
  until timestamptz not null,
  -- The notification that opened the window. If it ended without being sent, the window is free.
  intent_id uuid not null,
  primary key (tenant_id, recipient_ref, category, key)
);
create index dedupe_windows_until on notifications.dedupe_windows (until);

create table notifications.delivery_attempts (
  tenant_id uuid not null,
  id uuid not null,
  intent_id uuid not null,
  channel text not null check (channel in ('email', 'sms', 'push', 'in_app')),
  -- '' but for push, where each device has attempts of its own.
  target text not null default '',
  attempt_no int not null,
  provider text,
  state text not null check (state in ('pending', 'sending', 'accepted', 'delivered', 'deferred',
    'failed', 'bounced', 'complained', 'unknown', 'skipped', 'cancelled')),
  provider_message_id text,
  next_attempt_at timestamptz,
  error_code text,
  lane smallint not null,
  batch_id uuid,
  lease_token uuid,
  leased_until timestamptz,
  wire_at timestamptz,
  rendered_sha256 bytea,
  destination_id uuid,
  destination_hash bytea,
  masked text,
  -- The recipient was erased, maybe while this was sent: what is known of the address is not stored.
  forgotten boolean not null default false,
  created_at timestamptz not null default kernel.now(),
  updated_at timestamptz not null default kernel.now(),
  -- After a doubt the same provider sends the same message again, and no other one.
  pinned boolean not null default false,
  primary key (tenant_id, intent_id, channel, target, attempt_no)
) with (fillfactor = 80);
create index delivery_attempts_due on notifications.delivery_attempts (lane, next_attempt_at)
  where state = 'pending' and batch_id is null;
create index delivery_attempts_due_of_batch on notifications.delivery_attempts (batch_id, next_attempt_at)
  where state = 'pending' and batch_id is not null;
create index delivery_attempts_sending on notifications.delivery_attempts (leased_until)
  where state = 'sending';
create index delivery_attempts_unknown on notifications.delivery_attempts (next_attempt_at)
  where state = 'unknown';
create index delivery_attempts_message on notifications.delivery_attempts (provider, provider_message_id)
  where provider_message_id is not null;

-- Why a channel of an intent went the way it did; the last decision of each rule.
create table notifications.decisions (
  tenant_id uuid not null,
  intent_id uuid not null,
  channel text not null,
  rule text not null,
  outcome text not null,
  until timestamptz,
  decided_at timestamptz not null default kernel.now(),
  primary key (tenant_id, intent_id, channel)
);

create table notifications.provider_events (
  provider text not null,
  event_id text not null,
  provider_message_id text,
  type text not null,
  occurred_at timestamptz not null,
  ref text,
  tenant_id uuid,
  intent_id uuid,
  applied boolean not null default false,
  received_at timestamptz not null default kernel.now(),
  primary key (provider, event_id)
);
create index provider_events_open on notifications.provider_events (provider, provider_message_id)
  where not applied;
create index provider_events_ref on notifications.provider_events (provider, ref)
  where not applied and ref is not null;
create index provider_events_intent on notifications.provider_events (tenant_id, intent_id)
  where intent_id is not null;
create index provider_events_received on notifications.provider_events (received_at);
-- Reports that fit no message yet: looked for once a second.
create index provider_events_waiting on notifications.provider_events (received_at) where not applied;

create table notifications.provider_health (
  provider text primary key,
  id uuid not null,
  degraded boolean not null,
  version int not null,
  changed_at timestamptz not null default kernel.now()
);

create table notifications.digests (
  tenant_id uuid not null,
  id uuid not null,
  recipient_ref text not null,
  category text not null,
  key text not null,
  state text not null default 'open' check (state in ('open', 'closed')),
  order_of jsonb not null,
  principal_id uuid,
  total int not null default 1,
  closes_at timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  -- As in notification_batches.
  session_id uuid,
  primary key (tenant_id, id)
);
create unique index digests_open on notifications.digests (tenant_id, recipient_ref, category, key)
  where state = 'open';
create index digests_due on notifications.digests (closes_at) where state = 'open';

-- The sequence of a user's inbox, taken in the commit that changes it.
create table notifications.inboxes (
  tenant_id uuid not null,
  user_id uuid not null,
  last_sequence bigint not null default 0,
  primary key (tenant_id, user_id)
);

create table notifications.inbox_items (
  tenant_id uuid not null,
  user_id uuid not null,
  id uuid not null,
  intent_id uuid,
  sequence bigint not null,
  -- The sequence of its last change: what a stream that comes back has missed.
  changed bigint not null,
  category text not null,
  title text not null,
  body text not null,
  url text,
  read_at timestamptz,
  archived_at timestamptz,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant_id, user_id, id)
);
create index inbox_items_sequence on notifications.inbox_items (tenant_id, user_id, sequence desc);
create index inbox_items_created on notifications.inbox_items using brin (created_at);
create index inbox_items_changed on notifications.inbox_items (tenant_id, user_id, changed);
create index inbox_items_unread on notifications.inbox_items (tenant_id, user_id)
  where read_at is null and archived_at is null;
create unique index inbox_items_intent on notifications.inbox_items (tenant_id, intent_id)
  where intent_id is not null;
