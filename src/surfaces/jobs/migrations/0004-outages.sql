-- When some process of the platform last reached the database; and the times in which none did. An attempt
-- whose lease could not be renewed meanwhile is not held against its job.
create table jobs.last_beat (
  one boolean primary key default true check (one),
  beat_at timestamptz not null default now()
) with (fillfactor = 50);
insert into jobs.last_beat default values;
create table jobs.outages (
  began_at timestamptz primary key,
  ended_at timestamptz not null
);
