/**
 * Making a link beside pgbench with the same transaction: limits of its owner, screening, the link, its
 * event. The platform is measured as a process that only answers requests, as pgbench is. The statements
 * were taken down with log_statement=all, and must be again when the platform's change.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from '../ground/comparison.ts'
import { load, requestText } from '../ground/load.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { makePeople, startProduct } from '../ground/product.ts'
import { costNote, ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'

const owners = 32
const connections = 32

const create_link = `
\\set owner random(1, ${owners})
\\set n random(1, 1000000000)
\\set code random(1, 9000000000000000000)
\\startpipeline
begin;
with wanted as (
  select * from unnest(
    array['bench.day:' || :owner, 'bench.minute:' || :owner]::text[],
    array[8.64e-11, 6e-14]::float8[], array[86400, 60]::float8[]) as w (bucket, step, span)
)
insert into kernel.throttles as t (bucket, tat)
select bucket, now() + make_interval(secs => step) from wanted
where step <= span + 0.001
order by bucket
on conflict (bucket) do update
  set tat = greatest(t.tat, now()) + (excluded.tat - now())
  where greatest(t.tat, now()) + (excluded.tat - now()) - now()
    <= make_interval(secs => (select span + 0.001 from wanted w where w.bucket = t.bucket))
returning bucket;
select pg_advisory_xact_lock_shared(5330211);
select
  exists (
    select from links.domains where hostname = 'www.example.com' and state in ('active', 'suspended')
  ) as own,
  coalesce(bool_or(action = 'block'), false) as blocked,
  coalesce(bool_or(action = 'warn'), false) as warned,
  exists (
    select from links.link_reports r join links.links l using (domain_id, code)
    where r.state = 'received' and r.destination_host = 'com.example.www.'
      and r.created_at > kernel.now() - make_interval(hours => 24)
      and l.destination_url = 'https://www.example.com/page/' || :n
  ) as reported
from links.blocklist
where removed_at is null and (
  (kind = 'host' and value = 'com.example.www.')
  or (kind = 'suffix' and value = any('{com.,com.example.,com.example.www.}'::text[]))
  or (kind = 'url' and value = '3cc34800723afec68d8c3f7bacb9e0c8551cc0a9c6be19f073e0c142055a6afc')
  or (kind = 'regex' and 'https://www.example.com/page/' || :n ~ value));
\\endpipeline
insert into links.links (tenant_id, domain_id, code, id, owner_id, destination_url,
  destination_host, state, safety_state, scan_due_at, redirect_status, scan, query,
  cache_seconds, edge_cache_seconds, title, max_clicks, remaining_clicks, expires_at)
values ('01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-00000000000a',
  to_hex(:code::bigint), uuidv7(), ('018f0000-0000-7000-8000-' || lpad(:owner::text, 12, '0'))::uuid,
  'https://www.example.com/page/' || :n, 'com.example.www.', 'active', 'clean',
  case when false then now() end, 302, 'warn', 'ignore', 0, 0, null, null, null, null)
on conflict do nothing
returning links.id, links.code, links.domain_id, links.owner_id, links.destination_url,
  case when links.state in ('active', 'pending_scan') and links.expires_at <= kernel.now()
    then 'expired' else links.state end as state, links.safety_state, links.destination_version,
  links.version, links.created_at, links.updated_at, links.expires_at, links.max_clicks,
  links.remaining_clicks, links.title,
  jsonb_build_object('redirect_status', links.redirect_status, 'scan', links.scan,
    'query', links.query, 'cache_seconds', links.cache_seconds,
    'edge_cache_seconds', links.edge_cache_seconds) as policy, 0::bigint as clicks;
\\startpipeline
with begun as materialized (select pg_current_xact_id() as xid)
insert into kernel.outbox_events (id, tenant_id, type, schema_version, aggregate_type,
  aggregate_id, aggregate_version, payload, traceparent)
select e.id, e.tenant_id, e.type, e.schema_version, e.aggregate_type,
  e.aggregate_id, e.aggregate_version, e.payload::jsonb, null::text
from begun
cross join unnest(
  array[uuidv7()], array['01900000-0000-7000-8000-000000000001']::uuid[], '{link.created}'::text[],
  '{1}'::int[], '{link}'::text[], array[uuidv7()], '{1}'::bigint[],
  array['{"link_id":"01a1fee8-d074-7ddf-97cb-59bc9d00ce89","domain_id":"01900000-0000-7000-8000-00000000000a","code":"tHNb6Ztk","owner_id":"01a1fee8-cbf2-7cbf-af4f-3db026fd5ee9","state":"active"}']
) with ordinality as e (id, tenant_id, type, schema_version, aggregate_type,
  aggregate_id, aggregate_version, payload, ordinal)
where begun.xid is not null
order by e.ordinal;
commit;
\\endpipeline
`

export async function creating({ options, database }: Bench): Promise<Section[]> {
  const program = await findPgbench()
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-creating-'))
  const url = await database.create('links')
  const { profile } = options
  const product = await startProduct(url, folder, { side: 'server', profile, roles: 'api' })
  const people = await makePeople(product.port, owners)
  const requests = people.flatMap(({ access_token }) =>
    Array.from({ length: 50 }, (_, n) =>
      requestText({
        method: 'POST',
        path: '/v1/links',
        token: access_token,
        body: { destination_url: `https://www.example.com/page/${n}` },
      }),
    ),
  )
  const ours = { port: product.port, pid: product.pid, connections, requests, status: 201 }
  const standings = await compete(
    [
      {
        name: 'pgbench',
        run: () => pgbench({ program, url, script: create_link, clients: connections }, options),
      },
      { name: 'dodeca', run: () => load(ours, options) },
    ],
    options.rounds,
  )
  for (const { wire } of people) wire.close()
  await product.stop()
  await rm(folder, { recursive: true, force: true })
  const [limit, dodeca] = standings
  if (!limit || !dodeca) throw new Error('a competitor is missing')
  return [
    standingsOf(
      `Making a link, ${connections} connections of ${owners} owners`,
      standings,
      [ratioVerdict(dodeca, limit, 0.5)],
      [costNote(dodeca, limit)],
    ),
  ]
}
