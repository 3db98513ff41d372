/** Redirects while the database is unavailable for long, for as long as the operator says. */
import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { forgetShared } from '../../../../test/shared.ts'
import { newId, sql } from '#dodeca/kernel'
import { openLinkWorld } from './link-world.ts'
import { onHost } from './raw-http.ts'

const world = await openLinkWorld({
  LINKS_STALE_IF_DB_DOWN_SECONDS: '3600',
  KERNEL_STATEMENT_TIMEOUT_MS: '3000',
})

const now = performance.now.bind(performance)
let ahead_seconds = 0
const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead_seconds * 1000)
afterAll(async () => {
  await world.close()
  // Other files run in this process.
  clock.mockRestore()
  forgetShared()
})

/** No statement about links ends meanwhile. */
async function whileLinksAreLocked(work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: world.database_url })
  await client.connect()
  await client.query(`begin; lock table links.redirect_nodes, links.link_changes, links.links,
    links.domains in access exclusive mode`)
  try {
    await work()
  } finally {
    await client.query('rollback')
    await client.end()
  }
}

test('redirects go on from memory for longer than memory is kept otherwise', async () => {
  const owner = await world.member()
  const hostname = `go-${newId().slice(-12)}.example.test`
  await world.platform.kernel.db.run(sql`
    insert into links.domains (tenant_id, id, owner_id, hostname, verification_token_hash,
      verification_expires_at, state, root_url)
    values (${owner.tenant.id}, ${newId()}, ${owner.id}, ${hostname}, ${Buffer.alloc(32)},
      now(), 'active', 'https://www.example.com/home')`)
  const [here, there] = [
    await world.shorten(owner, {}),
    await world.shorten(owner, { domain: hostname }),
  ]
  const visits = async () => [
    (await world.call('GET', `/${here.body.code}`)).status,
    (await onHost(world.url, hostname, `/${there.body.code}`)).status,
    (await onHost(world.url, hostname, '/')).status,
  ]
  expect(await visits()).toEqual([302, 302, 302])
  await whileLinksAreLocked(async () => {
    for (const seconds of [61, 601, 3500]) {
      ahead_seconds = seconds
      expect(await visits()).toEqual([302, 302, 302])
    }
    ahead_seconds = 3700
    expect(await visits()).toEqual([503, 503, 503])
  })
  expect(await visits()).toEqual([302, 302, 302])
})

test('an end of a link holds then, too', async () => {
  const owner = await world.member()
  const expires_at = new Date(Date.now() + 1_800_000).toISOString()
  const { body } = await world.shorten(owner, { expires_at })
  const visit = async () => (await world.call('GET', `/${body.code}`)).status
  expect(await visit()).toBe(302)
  await whileLinksAreLocked(async () => {
    ahead_seconds += 1700
    expect(await visit()).toBe(302)
    ahead_seconds += 200
    expect(await visit()).toBe(404)
  })
})
