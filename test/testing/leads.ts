/**
 * The tests of an application, written with the kit and no test runner: `leads.test.ts` gives them
 * vitest's. `guide.child.ts` has the same contract and a crash under `node --test`.
 */
import { deepEqual, equal, rejects } from 'node:assert/strict'
import { contract, killed, newKey, openApp } from '../../src/testing/entry.ts'
import leads from './dodeca.config.ts'

type Runner = {
  test(name: string, run: () => Promise<void>): unknown
  after(run: () => Promise<void>): unknown
}

const lead = () => ({ title: newKey(), amount_minor: 1999 })

export async function testLeads({ test, after }: Runner): Promise<void> {
  let world = await openApp(leads, {}, import.meta.dirname)
  after(() => world.close())

  const recipes = { 'POST /v1/leads': { request: () => ({ body: lead() }) } }
  for (const { name, run } of contract(world, { recipes })) test(name, run)

  test('what a recipe names must exist', async () => {
    const last = contract(world, { recipes: { 'POST /v1/leds': {} } }).at(-1)
    await rejects(async () => last?.run(), /v1\/leds/)
  })

  test('a lead that is won has its event', async () => {
    const { token } = await world.member()
    const { id } = (await world.call('POST', '/v1/leads', { token, key: newKey(), body: lead() }))
      .body
    await world.call('POST', `/v1/leads/${id}/win`, { token, key: newKey() })
    const events = await world.events({ aggregate_id: id }, 2)
    deepEqual(
      events.map(one => one.type),
      ['lead.created', 'lead.changed'],
    )
  })

  test('the clock of the platform moves', async () => {
    await world.clock.forward(3600)
    const { token } = await world.member()
    const { body } = await world.call('POST', '/v1/leads', { token, key: newKey(), body: lead() })
    equal(Date.parse(body.created_at) > Date.now() + 3_500_000, true)
  })

  test('a person who registers gets a mail', async () => {
    const { email } = await world.member()
    const [mail] = await world.inbox(email)
    equal(mail?.to, email)
  })

  test('a process that is killed before its commit leaves nothing; the same key then succeeds', async () => {
    const { token } = await world.member()
    const key = newKey()
    const body = lead()
    world = await killed(world, 'kernel.before_commit', victim =>
      victim.call('POST', '/v1/leads', { token, key, body }),
    )
    deepEqual((await world.call('GET', '/v1/leads', { token })).body.data, [])
    equal((await world.call('POST', '/v1/leads', { token, key, body })).status, 201)
  })

  test('one that is killed after its commit leaves the lead, its event and its outcome', async () => {
    const { token, tenant } = await world.member()
    const key = newKey()
    const body = lead()
    world = await killed(world, 'kernel.after_commit', victim =>
      victim.call('POST', '/v1/leads', { token, key, body }),
    )
    const again = await world.call('POST', '/v1/leads', { token, key, body })
    deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true'])
    equal((await world.events({ type: 'lead.created', tenant_id: tenant.id })).length, 1)
    equal((await world.call('GET', '/v1/leads', { token })).body.data.length, 1)
  })
}
