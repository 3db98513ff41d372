create schema pulse;

create table pulse.heard (
  tenant_id uuid not null,
  beat_id uuid not null,
  times bigint not null default 1,
  primary key (tenant_id, beat_id)
);
