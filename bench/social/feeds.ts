/** The first page of a feed: over HTTP, its statement in pgbench, and what Bluesky asks for one in pgbench. */
import { newest } from '../../src/surfaces/social/feeds/read-feed.ts'
import { roundStatement } from '../../src/surfaces/social/feeds/feed-statement.ts'
import type { Bench } from '../ground/comparison.ts'
import { load, requestText } from '../ground/load.ts'
import { findPgbench, pgbench } from '../ground/pgbench.ts'
import {
  coresNote,
  ratioVerdict,
  standingsOf,
  type Section,
  type Verdict,
} from '../ground/report.ts'
import { compete, type Standing } from '../ground/rounds.ts'
import { keysOf, pageOf } from './bluesky.ts'
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
      const { who, id, followed } = reader
      const requests = [requestText({ path: '/v1/feed', token: who.access_token })]
      return [
        { name: `statement, ${followed}`, run: () => run(ownScript(reader)) },
        {
          name: `feed, ${followed}`,
          run: () => load({ port, pid, connections, requests }, options),
        },
        { name: `Bluesky's page, ${followed}`, run: () => run(pageOf(id, limit)) },
        { name: `its keys alone, ${followed}`, run: () => run(keysOf(id, limit)) },
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
        ratioVerdict(of(`statement, ${n}`), of(`Bluesky's page, ${n}`), 1),
      ]),
      ...calm.flatMap(({ name, p50_ms, p99_ms }) => [
        within(`p50 of ${name}`, p50_ms, 11),
        within(`p99 of ${name}`, p99_ms, 40),
      ]),
    ],
    [
      ...ground.readers.map(({ followed: n }) =>
        coresNote(of(`feed, ${n}`), of(`statement, ${n}`)),
      ),
      "Our statement filters, and returns texts, authors, counts and what the reader is to them. Bluesky's page: what the AppView (@atproto/bsky 0.0.280) asks for the same, as far as our tables have it; its keys alone are the first two statements of these.",
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
