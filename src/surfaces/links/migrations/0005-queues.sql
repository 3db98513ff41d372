-- The columns of due queues: purges of the edge, scans of destinations, looks at the records of domains.

alter table links.edge_purges
  alter column due_at drop not null,
  alter column due_at set default kernel.now(),
  add column leased_until timestamptz,
  add column last_error_code text;

alter table links.links
  add column scan_lease_token uuid,
  add column scan_leased_until timestamptz,
  add column scan_error_code text;

alter table links.domains
  add column check_attempts int not null default 0,
  add column check_lease_token uuid,
  add column check_leased_until timestamptz,
  add column check_error_code text;
