/**
 * An upgrade and its way back, under load: two releases serve one database side by side, and each
 * of them alone afterwards. No request fails that a client may not simply send again, and what one
 * release has acknowledged, the other one reads.
 */
import { afterEach, expect, test } from 'vitest'
import { directClient } from '../../src/kernel/database/direct.ts'
import { eventually } from '../world.ts'
import { openFleet, type Fleet } from './fleet.ts'
import type { Load, Target } from './load.ts'
import { current, nextRelease, type Release } from './release.ts'

const answers_min = 100

let fleet: Fleet
let releases: Release[] = []
afterEach(async () => {
  await fleet.close()
  for (const release of releases) await release.remove()
  releases = []
})

/** Each of these processes answers some hundred requests of all clients, beginning now. */
async function serves(load: Load, ...targets: Target[]): Promise<void> {
  for (const { name } of targets) {
    const before = load.answered.get(name) ?? 0
    await eventually(
      `${name} serves (${load.failed.slice(0, 3).join('; ')})`,
      () => (load.answered.get(name) ?? 0) >= before + answers_min,
    )
  }
}

test('this release and the next one: forward, all the way back, and forward again', async () => {
  const next = await nextRelease({
    links: 'alter table links.links add column of_next_release text',
    chat: 'alter table chat.messages add column of_next_release text',
    social: 'alter table social.posts add column of_next_release int not null default 0',
    jobs: 'create table jobs.of_next_release (tenant_id uuid not null, id uuid, primary key (tenant_id, id))',
  })
  releases = [next]
  fleet = await openFleet()
  let old = await fleet.start(current)
  const load = await fleet.load()
  load.start()
  await serves(load, old)

  let fresh = await fleet.start(next)
  await serves(load, old, fresh)
  await fleet.stop(old)
  await serves(load, fresh)

  // Back: the older release starts on the newer schema, and the newer one ends.
  old = await fleet.start(current)
  await serves(load, old, fresh)
  await fleet.stop(fresh)
  await serves(load, old)

  fresh = await fleet.start(next)
  await serves(load, old, fresh)
  await fleet.stop(old)
  await serves(load, fresh)
  expect(await ends(load)).toEqual([])
}, 600_000)

/**
 * Every acknowledged write is there, and all jobs and events were processed. Returns the requests
 * that failed although they were sent again.
 */
async function ends(load: Load): Promise<readonly string[]> {
  await load.stop()
  for (const written of load.written) await load.check(written)
  const client = directClient(fleet.database.url, 'test')
  await client.connect()
  const count = async (text: string) => {
    const { rows } = await client.query<{ n: number }>(`select count(*)::int as n from ${text}`)
    return rows[0]?.n ?? -1
  }
  try {
    const open = `jobs.jobs where state not in ('succeeded', 'failed', 'cancelled', 'expired')`
    await eventually('all jobs end', async () => (await count(open)) === 0)
    expect(await count(`jobs.jobs where state <> 'succeeded'`)).toBe(0)
    await eventually('all events are processed', async () => {
      const { body } = await load.send('GET', '/v1/event-consumers?limit=100')
      const consumers = body.data as readonly { readonly lag_events: number }[]
      return consumers.length > 0 && consumers.every(one => one.lag_events === 0)
    })
    expect(await count('kernel.event_parks')).toBe(0)
    expect(await count('chat.messages')).toBe(
      load.written.filter(({ path }) => path.startsWith('/v1/conversations/')).length,
    )
    return load.failed
  } finally {
    await client.end()
  }
}
