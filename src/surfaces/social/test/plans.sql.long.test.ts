/** What readers and queues ask finds its rows by index, among 20,000 posts. */
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneDatabase, type Clone } from '../../../../test/world.ts'
import { directClient } from '../../../kernel/database/direct.ts'
import { newId, type Sql } from '#dodeca/kernel'
import { compile } from '../../../kernel/database/sql.ts'
import { claimStatement } from '../../../kernel/work/run-queue.ts'
import { backfillQueue } from '../feeds/backfill.ts'
import { fanoutQueue, pushStatement } from '../feeds/fan-out.ts'
import { type Mode, roundStatement } from '../feeds/feed-statement.ts'
import { newest } from '../feeds/read-feed.ts'
import { authorStatement } from '../posts/list-posts.ts'
import { findStatement } from '../posts/post-view.ts'
import { commentsStatement } from '../reactions/list-reactions.ts'

const tenant_id = '01900000-0000-7000-8000-0000000000bb'
const numbered = (first: string, n = 'n') =>
  `('${first}-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`
const id = '10000000-0000-7000-8000-000000000001'

let ground: Clone
let client: pg.Client
beforeAll(async () => {
  ground = await cloneDatabase('product_template')
  client = directClient(ground.url, 'test')
  await client.connect()
  await client.query('set statement_timeout = 0')
  await client.query(`
    insert into social.users (tenant_id, id, handle)
    select '${tenant_id}', ${numbered('10000000')}, 'person_' || n from generate_series(1, 5000) n;
    insert into social.posts (tenant_id, id, author_id, visibility, created_at, rank_or_time, fanout_state, due_at)
    select '${tenant_id}', ${numbered('20000000')}, ${numbered('10000000', '1 + n % 5000')}, 'public', now(), n,
      case when n % 1000 = 0 then 'pending' when n % 1001 = 0 then 'pull' else 'done' end,
      case when n % 1000 = 0 then now() end
    from generate_series(1, 20000) n;
    insert into social.follows (tenant_id, follower_id, followed_id, state)
    select '${tenant_id}', ${numbered('10000000')}, ${numbered('10000000', '1 + (n * 7 + k * 13) % 5000')}, 'active'
    from generate_series(1, 5000) n, generate_series(1, 10) k
    where 1 + (n * 7 + k * 13) % 5000 <> n on conflict do nothing;
    insert into social.feed_state (tenant_id, user_id, state)
    select '${tenant_id}', ${numbered('10000000')}, 'warm' from generate_series(1, 5000) n;
    insert into social.feed_entries (tenant_id, user_id, rank_or_time, post_id, source_author_id)
    select '${tenant_id}', ${numbered('10000000', '1 + n % 500')}, n, ${numbered('20000000')}, '${id}'
    from generate_series(1, 20000) n;
    insert into social.comments (tenant_id, id, post_id, author_id, body)
    select '${tenant_id}', gen_random_uuid(), ${numbered('20000000')}, '${id}', 'x'
    from generate_series(1, 20000) n;
    insert into social.likes (tenant_id, post_id, user_id)
    select '${tenant_id}', ${numbered('20000000')}, '${id}' from generate_series(1, 20000) n;
    analyze;`)
  // What a statement that is prepared once gets, whatever its values are.
  await client.query('set plan_cache_mode = force_generic_plan')
})
afterAll(async () => {
  await client.end()
  await ground.drop()
})

type Node = { 'Node Type': string; 'Relation Name'?: string; Plans?: Node[] }

function* nodes(plan: Node): Generator<Node> {
  yield plan
  for (const one of plan.Plans ?? []) yield* nodes(one)
}

const viewer = { tenant_id, id }
const round = (mode: Mode) => roundStatement({ viewer, mode, after: newest, look: 32, want: 21 })
const deps = { kernel: { settings: {} }, jobs: {} } as never
const pushed = { tenant_id, id: newId(), author_id: id, rank_or_time: 1, fanout_after: null }
const begin = { created_us: null, id: null }
/** They are empty here, and small in any tenant. */
const small = new Set([
  'tenant_states',
  'mutes',
  'blocks',
  'feed_pull_authors',
  'feed_pending_sources',
  'counter_projections',
  'post_media',
  'post_bodies',
])

test.each<[string, () => Sql]>([
  ['a page from the entries', () => round('push')],
  ['a page from the authors', () => round('pull')],
  ['a post', () => findStatement(viewer, newId())],
  ['posts of an author', () => authorStatement(viewer, id, { rank_or_time: null, id: null }, 21)],
  ['comments', () => commentsStatement(viewer, newId(), 'asc', begin, 21)],
  ['a portion of a fan-out', () => pushStatement(pushed, 1000)],
  ['what is to be pushed', () => claimStatement(fanoutQueue(deps), newId(), 20)],
  ['what is to be added', () => claimStatement(backfillQueue(deps), newId(), 50)],
])('%s', async (_name, statementOf) => {
  const { text, values } = compile(statementOf())
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>({
    text: `explain (format json) ${text}`,
    values,
  })
  const scans = [...(rows[0] ? nodes(rows[0]['QUERY PLAN'][0].Plan) : [])]
    .filter(node => node['Node Type'] === 'Seq Scan')
    .map(node => node['Relation Name'] ?? '')
  expect(scans.filter(table => !small.has(table))).toEqual([])
})
