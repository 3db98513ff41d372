-- Compatible since 0007: older releases ignore the column.
-- When a process last ran whose code has the consumer. Without it a release that was taken back for ten minutes
-- lost the cursors of its own consumers, which then handled all events of the log again.
alter table kernel.event_consumers add column known_at timestamptz not null default now();
