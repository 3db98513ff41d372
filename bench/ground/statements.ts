/**
 * The statements that the platform sends to PostgreSQL, as pgbench scripts: the same statements in
 * the same packets (a pipeline is sent together), on rows of the same sizes. They were recorded
 * with log_statement=all and must be recorded again when the platform's statements change.
 */
import { accounts_count } from './accounts.ts'

const account = (name: string) =>
  `('018f0000-0000-7000-8000-' || lpad(:${name}::text, 12, '0'))::uuid`

/** Variables: tenant. */
export const read_account = `
\\set n random(1, ${accounts_count})
select id, name, balance_minor, version from book.accounts
where tenant_id = :tenant::uuid and id = ${account('n')};
`

const look_up = `
select pg_try_advisory_xact_lock(:lock) as locked,
  r.state, r.fingerprint, r.operation_id, r.leased_until > now() as leased,
  r.status, r.headers, r.body, r.resource_ref
from (values (true)) as always (one)
left join kernel.idempotency_records r
  on r.principal_id = :person::uuid
  and r.operation = 'POST /v1/book/transfers'
  and r.key = 'pgbench-' || :lock::text;`

const move = `
with locked as (
  select id from book.accounts
  where tenant_id = :tenant::uuid and id in (${account('from')}, ${account('to')})
  order by id for update
)
update book.accounts a
set balance_minor = balance_minor
    + case when a.id = ${account('from')} then -:amount::bigint else :amount::bigint end,
  version = version + 1
from locked
where a.tenant_id = :tenant::uuid and a.id = locked.id
  and (select count(*) from locked) = 2
  and (select balance_minor from book.accounts
    where tenant_id = :tenant::uuid and id = ${account('from')}) >= :amount::bigint
returning a.id as account_id, a.version;`

const transfer = `
insert into book.transfers (tenant_id, id, from_id, to_id, amount_minor)
values (:tenant::uuid, uuidv7(), ${account('from')}, ${account('to')}, :amount)
returning id, from_id, to_id, amount_minor, created_at;`

const payload = (name: string) =>
  `'{"account_id":"018f0000-0000-7000-8000-' || lpad(:${name}::text, 12, '0')
    || '","transfer_id":"01a1fd9f-eede-7bbd-997a-cd7adccbf7ac"}'`

const traceparent = `'00-01a1fd9feede7bbd997acd7adccbf7ac-997acd7adccbf7ac-00'`

const outbox = `
with begun as materialized (select pg_current_xact_id() as xid)
insert into kernel.outbox_events (id, tenant_id, type, schema_version, aggregate_type,
  aggregate_id, aggregate_version, payload, traceparent, written_by, transaction_id, occurred_at)
select e.id, e.tenant_id, e.type, e.schema_version, e.aggregate_type,
  e.aggregate_id, e.aggregate_version, e.payload::jsonb, e.traceparent,
  e.written_by, begun.xid::text::bigint, (select kernel.now())
from begun
cross join unnest(
  array[uuidv7(), uuidv7()],
  array[:tenant::uuid, :tenant::uuid],
  '{account.moved,account.moved}'::text[],
  '{1,1}'::int[],
  '{account,account}'::text[],
  array[${account('from')}, ${account('to')}],
  '{2,2}'::bigint[],
  array[${payload('from')}, ${payload('to')}],
  array[${traceparent}, ${traceparent}],
  '{POST /v1/book/transfers,POST /v1/book/transfers}'::text[]
) with ordinality as e (id, tenant_id, type, schema_version, aggregate_type,
  aggregate_id, aggregate_version, payload, traceparent, written_by, ordinal)
where begun.xid is not null
order by e.ordinal;`

const record = `
insert into kernel.idempotency_records (
  principal_id, operation, key, tenant_id, fingerprint, request_id, transaction_id, state,
  status, headers, body, resource_ref, completed_at, expires_at)
values (
  :person::uuid, 'POST /v1/book/transfers', 'pgbench-' || :lock::text, :tenant::uuid,
  '\\x4097736de5ef664544f4017d9110b7983baf636e30a0c34becc34f6b78e2128a'::bytea,
  '01a1fd9f-eede-7bbd-997a-cd7adccbf7ac', pg_current_xact_id()::text::bigint, 'completed', 201,
  '{"location": "/v1/book/transfers/01a1fd9f-eede-7bbd-997a-cd7adccbf7ac", "content-type": "application/json; charset=utf-8"}'::jsonb,
  convert_to(rpad('{"id":"01a1fd9f-eede-7bbd-997a-cd7adccbf7ac","from_id":"018f0000', 198, ' '), 'UTF8'),
  '/v1/book/transfers/01a1fd9f-eede-7bbd-997a-cd7adccbf7ac', now(),
  now() + make_interval(hours => 168));`

/** Variables: tenant, person. */
export const keyed_transfer = `
\\set from random(1, ${accounts_count})
\\set to 1 + (:from + random(1, ${accounts_count - 1}) - 1) % ${accounts_count}
\\set lock random(1, 9000000000000000000)
\\set amount 1
select permission from people.grants
where tenant_id = :tenant::uuid and account_id = :person::uuid;
\\startpipeline
begin;
${look_up}
\\endpipeline
${move}
${transfer}
\\startpipeline
${outbox}
${record}
commit;
\\endpipeline
`

/** Moves one batch of the outbox into the log, in its simplest form. Variables: none. */
export const drain_batch = `
with taken as (
  delete from kernel.outbox_events
  where seq in (select seq from kernel.outbox_events order by seq limit 500)
  returning *
)
insert into kernel.events (position, id, tenant_id, type, schema_version, aggregate_type,
  aggregate_id, aggregate_version, payload, payload_ref, traceparent, occurred_at, created_at, lane)
select seq, id, tenant_id, type, schema_version, aggregate_type, aggregate_id, aggregate_version,
  payload, payload_ref, traceparent, occurred_at, created_at, kernel.lane_of(aggregate_id)
from taken;
`
