/** The owner's statements and the sweeps find their rows by index at 300,000 links: no Seq Scan, no large Sort. */
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId, type Principal, type Sql, type Tx } from '#dodeca/kernel'
import { directClient } from '../../../kernel/database/direct.ts'
import { compile } from '../../../kernel/database/sql.ts'
import type { Kernel } from '../settings.ts'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { normalizeDestination } from '../destinations/normalize.ts'
import { against } from '../destinations/screen.ts'
import { claimStatement } from '../../../kernel/work/run-queue.ts'
import { scanQueue } from '../destinations/scan-links.ts'
import { platform_domain_id } from '../domains/platform.ts'
import { recheckQueue } from '../domains/recheck-domains.ts'
import { beginning, portionOf } from '../moderation/apply-blocklist.ts'
import { expireLinks } from '../shortening/expire-links.ts'
import { findLink } from '../shortening/link-row.ts'
import { shorteningRoutes } from '../shortening/routes.ts'

const rows = 300_000
const owner = '01900000-0000-7000-8000-0000000000aa'
const tenant = '01900000-0000-7000-8000-0000000000bb'
const principal: Principal = {
  id: owner,
  tenant_id: tenant,
  kind: 'account',
  session_id: null,
  aal: 'aal1',
  auth_time: 0,
}
const domain = { id: platform_domain_id, hostname: 'dodeca.test', own: false }

let ground: Clone
let client: pg.Client
beforeAll(async () => {
  ground = await cloneDatabase('product_template')
  client = directClient(ground.url, 'test')
  await client.connect()
  await client.query('set statement_timeout = 0')
  await client.query('alter table links.links set unlogged')
  await client.query(`
    insert into links.links (tenant_id, domain_id, code, id, owner_id, destination_url,
      destination_host, state, safety_state, expires_at, scan_due_at, created_at)
    select '${tenant}', '${platform_domain_id}', 'code' || g,
      kernel.first_id_of(now() - g * interval '1 second'),
      case when g % 100 = 0 then '${owner}'::uuid else gen_random_uuid() end,
      'https://www.h' || g % 5000 || '.example.com/', 'com.example.h' || g % 5000 || '.www.',
      'active', 'clean', case when g % 3 = 0 then now() + g * interval '1 minute' end,
      case when g % 1000 = 0 then now() + interval '1 hour' end, now() - g * interval '1 second'
    from generate_series(1, ${rows}) g`)
  await client.query(`
    insert into links.domains (tenant_id, id, owner_id, hostname, verification_token_hash,
      verification_expires_at, state, next_check_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'h' || g || '.example.com',
      sha256('x'), now(), 'active', now() + g * interval '1 minute'
    from generate_series(1, 50000) g`)
  await client.query(`
    insert into links.blocklist (id, kind, value, action, reason, created_by)
    select gen_random_uuid(), 'host', 'com.example.b' || g || '.', 'block', 'x', gen_random_uuid()
    from generate_series(1, 50000) g`)
  await client.query(`
    insert into links.daily_link_stats (domain_id, code, day, clicks)
    select '${platform_domain_id}', 'code' || g % 20000, current_date - g / 20000, 1
    from generate_series(1, 100000) g`)
  await client.query('analyze')
  // What a statement that is prepared once gets, whatever its values are.
  await client.query('set plan_cache_mode = force_generic_plan')
})
afterAll(async () => {
  await client.end()
  await ground.drop()
})

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

function* nodes(plan: Node): Generator<Node> {
  yield plan
  for (const one of plan.Plans ?? []) yield* nodes(one)
}

/** The statements that a function would run, by a reader that only listens. */
async function heard(run: (tx: Tx, kernel: Kernel) => Promise<unknown>): Promise<Sql> {
  const statements: Sql[] = []
  const listen = async (_row: unknown, statement: Sql) => {
    statements.push(statement)
    return []
  }
  const tx = { many: listen, maybe: listen, one: listen } as unknown as Tx // it only listens
  const db = { ...tx, tx: (work: (tx: Tx) => Promise<unknown>) => work(tx) }
  await run(tx, { db } as unknown as Kernel).catch(() => {}) // nothing is found
  const [first] = statements
  if (!first) throw new Error('nothing was asked')
  return first
}

const rules = { extra_suffixes: [], ip_destinations: false }
const destination = normalizeDestination('https://www.h7.example.com/', rules)
const signal = new AbortController().signal
/** A queue is only declared here; nothing of it runs. */
const unused = { kernel: { settings: {} } } as never
const nothing = {} as never
const start = { after: null, limit: 20, fetch: 21 }
/** Behind two thirds of what the owner has. */
const later_ms = (Date.now() - 200_000_000).toString(16).padStart(12, '0')
const later_id = `${later_ms.slice(0, 8)}-${later_ms.slice(8)}-7000-8000-000000000000`
const later = { ...start, after: [later_id] }

/** What a page of links asks, looking at 500 of them. */
function linksAsked(query: object, place: object): Promise<Sql> {
  const kernel = { profile: 'production', settings: { 'kernel.list_look_max': 500 } }
  const deps = { kernel, platform: { hosts: new Set([domain.hostname]) } } as never
  const route = shorteningRoutes(deps).find(one => one.name === 'listLinks')
  const list = { cursors: { start: () => place } }
  const context = { principal, query, list, request: { headers: {} } }
  return heard(async tx => await route?.handle?.({ ...context, tx } as never))
}

test.each<[string, () => Promise<Sql>]>([
  ['one link of its owner', () => heard(tx => findLink(tx, principal, domain, 'Code700'))],
  ['the first page of an owner', () => linksAsked({}, start)],
  ['a later page of an owner', () => linksAsked({}, later)],
  ['a search in vain', () => linksAsked({ q: 'not to be found' }, start)],
  ['links on a domain', () => linksAsked({ domain: domain.hostname }, start)],
  ['screening', async () => against(destination, 24)],
  ['what has expired', () => heard((_tx, kernel) => expireLinks({ kernel }, signal))],
  ['what is to be scanned', async () => claimStatement(scanQueue(nothing, nothing), newId(), 10)],
  ['domains to look at', async () => claimStatement(recheckQueue(unused), newId(), 20)],
  [
    'links to a host',
    async () => portionOf({ kind: 'host', value: 'com.example.h7.www.' }, beginning),
  ],
  [
    'links below a suffix',
    async () => portionOf({ kind: 'suffix', value: 'com.example.h7.' }, beginning),
  ],
  ['links one by one', async () => portionOf({ kind: 'regex', value: 'x' }, beginning)],
])('%s', async (_name, statementOf) => {
  const { text, values } = compile(await statementOf())
  await client.query('begin')
  const explained = await client.query<{ 'QUERY PLAN': { Plan: Node }[] }>({
    text: `explain (analyze, format json) ${text}`,
    values,
  })
  await client.query('rollback')
  const plan = explained.rows[0]?.['QUERY PLAN'][0]?.Plan
  if (!plan) throw new Error('no plan')
  const seen = [...nodes(plan)]
  const scanned = seen
    .filter(one => one['Node Type'] === 'Seq Scan')
    .map(one => one['Relation Name'])
  expect(scanned.filter(name => name !== 'link_reports')).toEqual([])
  const touched = seen.map(one => one['Actual Rows'] + (one['Rows Removed by Filter'] ?? 0))
  expect(Math.max(...touched)).toBeLessThan(1000)
})
