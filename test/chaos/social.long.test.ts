/** Workers are killed in the middle of fan-outs and builds: every kept feed has each post once. */
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startProcess } from '../process.ts'
import { eventually } from '../world.ts'
import { sql } from '#dodeca/kernel'
import {
  openSocialWorld,
  postIds,
  type SocialWorld,
  type Someone,
} from '../../src/surfaces/social/test/social-world.ts'

const kills = inject('chaos') === 'full' ? Number(process.env['CHAOS_KILLS'] ?? 200) : 6

let world: SocialWorld
let author: Someone
let readers: Someone[]
beforeAll(async () => {
  // This process only serves requests: the work is done by the one that is killed.
  world = await openSocialWorld({
    ROLES: 'api',
    SOCIAL_FANOUT_CHUNK: '2',
    SOCIAL_POSTS_PER_5_MINUTES: '1000000',
  })
  const people = await world.people(9)
  author = people[0] as Someone
  readers = people.slice(1)
  for (const reader of readers) await reader.follow(author)
})
afterAll(() => world.close())

const Count = Type.Object({ n: Type.Integer() })

/** Leases of the killed end by themselves after up to two minutes; the test does not wait for that. */
async function endLeases(): Promise<void> {
  for (const table of ['posts', 'feed_state', 'feed_pending_sources']) {
    await world.platform.kernel.db.run(sql`
      -- any tenant: all of this test
      update social.${sql.id(table)} set leased_until = now() where leased_until > now()`)
  }
}

async function left(): Promise<number> {
  const { n } = await world.platform.kernel.db.one(
    Count,
    sql`
      -- any tenant: all of this test
      select (select count(*) from social.posts where fanout_state = 'pending')::int
        + (select count(*) from social.feed_state where state = 'building')::int
        + (select count(*) from social.feed_pending_sources)::int as n`,
  )
  return n
}

test(`${kills} SIGKILLs in the middle of a commit: no feed lacks or repeats a post`, async () => {
  const posted: string[] = []
  for (let kill = 0; kill < kills; kill++) {
    posted.unshift(await author.post(`${kill}`))
    const reader = readers[kill % readers.length] as Someone
    // Reads begin builds, and follows begin backfills.
    await reader.feed()
    if (kill % 5 === 4) {
      await reader.unfollow(author)
      await reader.follow(author)
    }
    const point = kill % 4 === 3 ? 'social.in_rebuild' : 'social.in_fanout'
    const nth = 1 + (kill % 3)
    await endLeases()
    const worker = await startProcess(
      { ...world.environment, ROLES: 'worker', KERNEL_FAULTS: `${point}=kill@${nth}` },
      'product',
    ).catch(() => undefined)
    let gone = worker === undefined
    void worker?.gone.then(() => {
      gone = true
    })
    const over = async () => gone || (await left()) === 0
    await eventually('it is killed, or all is done', over)
    expect(await reader.feed(100)).toEqual(posted.slice(0, 100))
    await worker?.kill()
  }
  await endLeases()
  const worker = await startProcess({ ...world.environment, ROLES: 'worker' }, 'product')
  try {
    await eventually('all is done', async () => (await left()) === 0)
  } finally {
    await worker.kill()
  }
  for (const reader of readers) {
    expect(await reader.walk('/v1/feed', 50, postIds)).toEqual(posted)
  }
  for (const check of world.platform.opened['social']?.checks ?? []) {
    expect([check.name, await check.run()]).toEqual([check.name, []])
  }
}, 3_600_000)
