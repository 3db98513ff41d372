-- Compatible since 0002: older releases ignore the new columns.

-- An unfinished pass over the provider's list of events, which begins with the newest one. The events
-- from `pass_until` to `pass_newest` are stored, so the next pass goes on below them.
alter table payments.provider_cursors
  add column pass_until timestamptz,
  add column pass_newest timestamptz;

-- Older releases stored events about new disputes (`du_`) as processed and never read them. They are
-- read after the time in which an older process of an upgrade may still take them.
update payments.provider_events
set processed_at = null, due_at = kernel.now() + interval '15 minutes'
where object_ref like 'du\_%' and processed_at is not null and due_at is null
  and processed_at = received_at;
