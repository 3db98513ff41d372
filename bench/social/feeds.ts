/** The first page of a feed: over HTTP, its statement in pgbench, and Bluesky's two statements in pgbench. */
import { newest } from '../../src/surfaces/social/feeds/read-feed.ts'
import { roundStatement } from '../../src/surfaces/social/feeds/feed-statement.ts'
import type { Bench } from '../ground/comparison.ts'
import { load, requestText } from '../ground/load.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import { ratioVerdict, standingsOf, type Section, type Verdict } from '../ground/report.ts'
import { compete, type Standing } from '../ground/rounds.ts'
import { inlined, tenant_id, type Ground, type Reader } from './ground.ts'

const connections = 4
const limit = 20

export async function feeds({ options }: Bench, ground: Ground): Promise<Section> {
  const program = await findPgbench()
  const { port, pid } = ground.program
  const run = (script: string) =>
    pgbench({ program, url: ground.database_url, script, clients: connections }, options)
  const standings = await compete(
    ground.readers.flatMap(reader => {
      const { who, followed } = reader
      const requests = [requestText({ path: '/v1/feed', token: who.access_token })]
      return [
        { name: `statement, ${followed}`, run: () => run(ownScript(reader)) },
        {
          name: `feed, ${followed}`,
          run: () => load({ port, pid, connections, requests }, options),
        },
        { name: `Bluesky's statements, ${followed}`, run: () => run(joined(reader)) },
      ]
    }),
    options.rounds,
  )
  const calm: Standing[] = []
  for (const { who, followed } of ground.readers) {
    const full = standings.find(one => one.name === `feed, ${followed}`)?.per_second ?? 0
    const requests = [requestText({ path: '/v1/feed', token: who.access_token })]
    const found = await load({ port, pid, connections, requests, rate: full / 2 }, options)
    calm.push({ ...found, name: `feed, ${followed}, at half of that`, turns: [found] })
  }
  const of = (name: string) => {
    const found = standings.find(one => one.name === name)
    if (!found) throw new Error(`${name} was not measured`)
    return found
  }
  return standingsOf(
    `A page of ${limit} of a feed by how many the reader follows, ${connections} connections, 200,000 posts`,
    [...standings, ...calm],
    [
      ...ground.readers.flatMap(({ followed: n }) => [
        ratioVerdict(of(`feed, ${n}`), of(`statement, ${n}`), 0.6),
        ...(n > 50
          ? [ratioVerdict(of(`statement, ${n}`), of(`Bluesky's statements, ${n}`), n > 500 ? 8 : 3)]
          : []),
      ]),
      ...calm.flatMap(({ name, p50_ms, p99_ms }) => [
        within(`p50 of ${name}`, p50_ms, 11),
        within(`p99 of ${name}`, p99_ms, 40),
      ]),
    ],
    [
      'Our statement also filters and returns texts, authors and counts. Those of Bluesky (getTimeline of @atproto/bsky 0.0.280) return what is in feed_item.',
      'Both read the newest posts of authors of whom this reader follows 0.5, 5 and 20 %: the more, the sooner the join of Bluesky has its twenty.',
    ],
  )
}

function within(says: string, reached: number, target: number): Verdict {
  return { says, reached, target, unit: 'ms', wanted: 'at most' }
}

function ownScript({ id }: Reader): string {
  const want = limit + 1
  return inlined(
    roundStatement({
      viewer: { tenant_id, id },
      mode: 'push',
      after: newest,
      look: Math.ceil(want * 1.5),
      want,
    }),
  )
}

const columns = 'p.id, p.author_id, p.rank_or_time, p.visibility, p.created_at'
const own = (id: string) => `select ${columns} from social.posts p
  where p.tenant_id = '${tenant_id}' and p.author_id = '${id}'
  order by p.rank_or_time desc, p.id desc limit 10;\n`

/** Posts joined to follows, newest first, and the reader's own in a statement of its own. */
function joined({ id }: Reader): string {
  return `select ${columns} from social.posts p
  join social.follows f on f.tenant_id = p.tenant_id and f.followed_id = p.author_id
  where p.tenant_id = '${tenant_id}' and f.follower_id = '${id}'
  order by p.rank_or_time desc, p.id desc limit ${limit};
${own(id)}`.replaceAll(/\n {2}/g, ' ')
}
