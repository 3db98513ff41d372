/**
 * `POST /v1/events` with 100 events, each checked against its schema, beside pgbench with the two
 * inserts that such a request commits: the rows of the outbox and the recorded outcome. Like the
 * platform, pgbench turns the text of each event's data into jsonb. A constant would be turned once.
 */
import { newId } from '#dodeca/kernel'
import { comparison } from './ground/comparison.ts'
import { load, requestText } from './ground/load.ts'
import { startOperated, type Operated } from './ground/operated.ts'
import type { Options } from './ground/options.ts'
import { findPgbench, pgbench } from './ground/pgbench.ts'
import { coresNote, ratioVerdict, standingsOf } from './ground/report.ts'
import { compete, type Measure } from './ground/rounds.ts'

const connections = 8
const type = 'deal.won'
const schema = {
  type: 'object',
  required: ['deal_id', 'amount_minor'],
  properties: {
    deal_id: { type: 'string', format: 'uuid' },
    amount_minor: { type: 'integer', minimum: 0 },
    note: { type: 'string', maxLength: 200 },
  },
}
const dataOf = (n: number) => ({ deal_id: newId(), amount_minor: n, note: 'signed on Monday' })

/** Variables: tenant, person. */
const script = `
\\set key random(1, 9000000000000000000)
begin;
with begun as materialized (select pg_current_xact_id() as xid)
insert into kernel.outbox_events (id, tenant_id, type, schema_version, aggregate_type,
  aggregate_id, aggregate_version, payload, traceparent, written_by, transaction_id, occurred_at)
select uuidv7(), :tenant::uuid, '${type}', 1, 'deal', uuidv7(), 1,
  replace('${JSON.stringify(dataOf(1))}', '"amount_minor":1', '"amount_minor":' || n)::jsonb,
  null, 'POST /v1/events', begun.xid::text::bigint, (select kernel.now())
from begun cross join generate_series(1, 100) n;
insert into kernel.idempotency_records (
  principal_id, operation, key, tenant_id, fingerprint, request_id, transaction_id, state,
  status, headers, body, completed_at, expires_at)
values (
  :person::uuid, 'POST /v1/events', 'pgbench-' || :key::text, :tenant::uuid, sha256('events'),
  uuidv7(), pg_current_xact_id()::text::bigint, 'completed', 201,
  '{"content-type": "application/json; charset=utf-8"}'::jsonb,
  convert_to(rpad('{"event_ids":[', 3900, '0'), 'UTF8'), now(),
  now() + make_interval(hours => 168));
commit;
`

await comparison('events', async ({ options, database }) => {
  const program = await findPgbench()
  // Migrated by a platform that does not run any more, so that nothing consumes what pgbench writes.
  const plain = await startOperated(database, 'events_plain')
  await plain.stop()
  const ours = await startOperated(database, 'events_ours', { ROLES: 'api' })
  const whole = await startOperated(database, 'events_whole')
  const variables = { tenant: plain.tenant_id, person: plain.account_id }
  const alone = { program, url: plain.database_url, script, clients: connections, variables }
  const [limit, platform, all] = await compete(
    [
      { name: 'pgbench', run: () => pgbench(alone, options) },
      { name: 'dodeca', run: await publisher(ours, options) },
      { name: 'dodeca with its worker', run: await publisher(whole, options) },
    ],
    options.rounds,
  )
  await ours.stop()
  await whole.stop()
  if (!limit || !platform || !all) throw new Error('a competitor is missing')
  return [
    standingsOf(
      'POST /v1/events of 100, 8 connections',
      [limit, platform, all],
      [ratioVerdict(platform, limit, 0.5)],
      [
        coresNote(platform, limit),
        'The platform also gives the events their positions and consumes them, in the same process.',
      ],
    ),
  ]
})

/** Declares the type, and publishes as often as the platform can. */
async function publisher(to: Operated, options: Options): Promise<() => Promise<Measure>> {
  const declared = { description: 'A deal was won.', schema }
  const made = await to.call('PUT', `/v1/event-types/${type}`, declared)
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  const requests = Array.from({ length: 50 }, () =>
    requestText({
      method: 'POST',
      path: '/v1/events',
      token: to.token,
      key: 'bench-{fresh}',
      body: { events: Array.from({ length: 100 }, (_, n) => ({ type, data: dataOf(n) })) },
    }),
  )
  const target = { port: to.port, pid: undefined, connections, requests, status: 201 }
  return () => load(target, options)
}
