/**
 * Likes in process by 64 people at once, on one post and on 64, beside the same inserts in pgbench; the worker
 * that counts them is a process of its own.
 */
import { newId } from '#dodeca/kernel'
import type { Deps } from '../../src/surfaces/social/deps.ts'
import { like } from '../../src/surfaces/social/reactions/like.ts'
import type { Bench } from '../ground/comparison.ts'
import { ask } from '../ground/database.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete, percentile, type Measure } from '../ground/rounds.ts'
import { personId, tenant_id, type Ground } from './ground.ts'

const clients = 64
const first_post = 1001

type Run = (user: number, post_id: string) => Promise<unknown>

const numbered = (first: string, n: number) =>
  `${first}-0000-7000-8000-${String(n).padStart(12, '0')}`

export async function likes({ options }: Bench, ground: Ground): Promise<Section> {
  const program = await findPgbench()
  const url = ground.database_url
  return await ground.within(async ({ platform: { kernel, opened } }) => {
    if (!opened['social']) throw new Error('there is no social')
    const deps = { kernel } as unknown as Deps
    const run: Run = (n, post_id) =>
      kernel.db.tx(tx =>
        like(tx, deps, { tenant_id, id: numbered('10000000', 1 + (n % 9999)) }, post_id),
      )
    const hot = async (): Promise<Measure> => {
      const post_id = await freshPost(url)
      return await settled(
        url,
        many(options.seconds, n => run(n, post_id)),
      )
    }
    const spread = async (): Promise<Measure> => {
      const posts: string[] = []
      for (let n = 0; n < clients; n++) posts.push(await freshPost(url))
      const all = many(options.seconds, n => run(n, posts[n % clients] ?? ''))
      return await settled(url, all)
    }
    const limit = (of: string) => () =>
      settled(url, pgbench({ program, url, script: script(of), clients }, options))
    const standings = await compete(
      [
        { name: 'pgbench, one post', run: limit(`'${numbered('20000000', first_post)}'::uuid`) },
        {
          name: 'pgbench, 64 posts',
          run: limit(
            `('20000000-0000-7000-8000-' || lpad((:client_id + ${first_post})::text, 12, '0'))::uuid`,
          ),
        },
        { name: 'likes, one post', run: hot },
        { name: 'likes, 64 posts', run: spread },
      ],
      options.rounds,
    )
    const [limit_hot, , mine_hot, mine_spread] = standings
    if (!limit_hot || !mine_hot || !mine_spread) throw new Error('not everybody was measured')
    return standingsOf(
      'Likes by 64 people at once',
      standings,
      [ratioVerdict(mine_hot, limit_hot, 0.5), ratioVerdict(mine_hot, mine_spread, 0.9)],
      [
        'pgbench inserts the same rows: the like, its change of the counter, the rate of the person and the event. Ours first asks who sees the post, and whether the person may write.',
        'Each waits until the worker has counted and announced what the one before it left; while ours runs, the worker tells the author of each like.',
      ],
    )
  })
}

/** A like by a new person each time, with all rows that ours writes. No consumer acts on its event. */
function script(post: string): string {
  const user = 'gen_random_uuid()'
  // Rows about an event are in the partition of the time in its id.
  return [
    '\\set n random(1, 9000000000000)',
    'begin;',
    `insert into social.likes (tenant_id, post_id, user_id) values ('${tenant_id}', ${post}, ${user}) on conflict do nothing;`,
    `insert into social.counter_deltas (tenant_id, subject_type, subject_id, kind, delta) values ('${tenant_id}', 'post', ${post}, 'likes', 1);`,
    `insert into kernel.throttles (bucket, tat) values ('bench' || :n, now()) on conflict (bucket) do update set tat = excluded.tat;`,
    `insert into kernel.outbox_events (id, tenant_id, type, schema_version, aggregate_type, aggregate_id, aggregate_version, payload) values (uuidv7(), '${tenant_id}', 'post.unliked', 1, 'like', ${user}, :n, jsonb_build_object('post_id', ${post}, 'user_id', ${user}, 'author_id', ${user}));`,
    'commit;',
    '',
  ].join('\n')
}

/**
 * Ends when the worker has counted and announced everything, so that one run does not slow down the
 * next.
 */
async function settled(url: string, work: Promise<Measure>): Promise<Measure> {
  const measured = await work
  for (let looks = 0; looks < 1200; looks++) {
    const [row] = await ask(
      url,
      `select exists (select from kernel.outbox_events) or exists (select from social.counter_deltas)
         or exists (select from kernel.event_consumers c join kernel.events e
           on e.lane = c.lane and e.position > c.position
           where c.consumer = 'social.notices' and e.type = 'post.liked') as busy`,
    )
    if (row?.['busy'] === false) return measured
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error('the worker did not catch up')
}

async function freshPost(url: string): Promise<string> {
  const id = newId()
  await ask(
    url,
    `insert into social.posts (tenant_id, id, author_id, visibility, created_at, rank_or_time, fanout_state)
     select '${tenant_id}', '${id}', ${personId('9999')}, 'public', now(),
       (extract(epoch from now()) * 1000000)::bigint, 'done'`,
  )
  return id
}

async function many(seconds: number, run: (n: number) => Promise<unknown>): Promise<Measure> {
  const latencies_ms: number[] = []
  const began = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - began < seconds * 1000) {
        const at = performance.now()
        await run(next++)
        latencies_ms.push(performance.now() - at)
      }
    }),
  )
  return {
    per_second: latencies_ms.length / ((performance.now() - began) / 1000),
    p50_ms: percentile(latencies_ms, 0.5),
    p99_ms: percentile(latencies_ms, 0.99),
    cpu_us: null,
    unexpected: 0,
  }
}
