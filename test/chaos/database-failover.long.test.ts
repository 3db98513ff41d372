/**
 * The database's primary is killed, stands still, and is changed, under the load of all surfaces. The
 * other faults of the database are in `database-faults.full.test.ts`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import type { Member } from '../product-world.ts'
import { call, eventually, newKey } from '../world.ts'
import { expectPortsRefused } from '../nodes/control-ports.ts'
import { describeDrill } from '../nodes/drill.ts'
import { expectRefused, servesAgain } from '../nodes/failover.ts'
import { restoreBeside } from '../nodes/restore-beside.ts'

/** Longer than it takes until another primary leads (25 s). */
const frozen_ms = 40_000

describeDrill('the primary', drill => {
  test('no control port of it answers without its credential', async () => {
    const { world } = drill()
    await expectPortsRefused(world.database, world.network)
  })

  test('is killed with its host', async () => {
    const { world, rights, expectWhole } = drill()
    const { database } = world
    await expectWhole("The primary's host is killed", async () => {
      const ended = await rights(0, 1, 2)
      const [primary, held] = [await database.primary(), await rights(0, 1, 2)]
      await ended.end()
      // What was written meanwhile is in the primary's checkpoint, and must not count against others.
      await primary.run('psql', '-c', 'checkpoint')
      await servesAgain(drill(), () => primary.powerOff())
      await held.end()
      for (const one of [ended, held]) {
        await expectRefused(one)
        await one.stop()
      }
      await primary.powerOn()
      await database.whole()
    })
  })

  test('stands still and goes on when another one leads', async () => {
    const { world, rights, expectWhole } = drill()
    const { database } = world
    await expectWhole('The primary is frozen for 40 s', async () => {
      const [primary, held] = [await database.primary(), await rights(0, 1, 2)]
      const thawed = wait(frozen_ms)
      await servesAgain(drill(), () => primary.freeze())
      await held.end()
      await thawed
      await primary.thaw()
      // Also while the old one still believes that it leads.
      await expectRefused(held)
      await database.whole()
      expect((await database.primary()).name).not.toBe(primary.name)
      await expectRefused(held)
      await held.stop()
    })
  })

  test('is changed by hand', async () => {
    const { world, expectWhole, expectRightsEnd } = drill()
    const { database } = world
    await expectWhole('Switchover', async () => {
      const before = await database.primary()
      await servesAgain(drill(), () => database.control('switchover', '--force'))
      await database.whole()
      expect((await database.primary()).name).not.toBe(before.name)
    })
    await expectRightsEnd()
  })

  test('is asked by the doctor: TLS, a synchronous standby, an archive', async () => {
    const { world } = drill()
    const { checks } = await world.dodeca(['doctor', 'database'])
    const states = (checks as { state: string; found: string[] }[]).map(one => one.state)
    expect(states, JSON.stringify(checks)).toEqual(states.map(() => 'ok'))
    const said = JSON.stringify(checks)
    for (const part of [/TLSv1\.\d to 198\./, /db\d has each commit/, /files archived/]) {
      expect(said).toMatch(part)
    }
  })

  test('has a moment to which one tenant goes back, and nobody else', async () => {
    const { world } = drill()
    const [mistaken, other] = [await world.member(), await world.member()]
    const link = async ({ token }: Member) => {
      const body = { destination_url: 'https://www.example.com/' }
      const made = await call(world.url, 'POST', '/v1/links', { token, key: newKey(), body })
      expect(made.status, made.text).toBe(201)
      return `/${made.body.code}`
    }
    const statusOf = async (path: string) =>
      (await fetch(world.url + path, { redirect: 'manual' })).status
    const lost = await link(mistaken)
    const { moment } = await world.db.one(
      Type.Object({ moment: Type.String() }),
      sql`select clock_timestamp()::text as moment`,
    )
    const { token } = mistaken
    await call(world.url, 'DELETE', `/v1/links${lost}`, { token })
    await eventually('the link is gone', async () => (await statusOf(lost)) === 404)
    const kept = await link(other)

    const url = await restoreBeside(world, moment)
    const beside = {
      DATABASE_URL: url,
      DATA_DIR: await mkdtemp(join(tmpdir(), 'dodeca-beside-')),
    }
    const { slug } = mistaken.tenant
    const archive = join(beside.DATA_DIR, 'archive')
    const ended = await world.dodeca(['restored', `--old=${world.database.test_url}`], beside)
    expect(ended).toMatchObject({ api_keys: 0, tenants: 0 })
    expect(ended.sessions).toBeGreaterThan(0)
    await world.dodeca(['tenant', 'export', slug, archive], beside)
    await world.dodeca(['tenant', 'disable', slug])
    await world.dodeca(['tenant', 'delete', slug, `--confirm=${slug}`])
    await world.dodeca(['tenant', 'import', archive])
    await rm(beside.DATA_DIR, { recursive: true })
    await eventually('the link is back', async () => (await statusOf(lost)) < 400)
    expect(await statusOf(kept)).toBeLessThan(400)
    const me = await call(world.url, 'GET', '/v1/me', { token })
    expect(me.status).toBe(401)
    expect((await world.login(mistaken)).status).toBe(201)
  })
})
