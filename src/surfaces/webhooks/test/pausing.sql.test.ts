/**
 * The platform's own brake: `webhooks.deliver` is paused like a type of jobs. Once that is answered no
 * sender of any process takes anything more; what it has taken ends, and nothing is lost.
 */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { startProcess } from '../../../../test/process.ts'
import { eventually } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { at, openGround } from './ground.ts'
import { openReceiver } from './receiver.ts'

const ground = await openGround()
afterAll(() => ground.close())
const { db } = ground.platform.kernel

const Leases = Type.Object({
  held: Type.Integer(),
  latest: Type.Union([Type.Number(), Type.Null()]),
})

function leases(subscription_id: string) {
  return db.one(
    Leases,
    sql`
      -- any tenant: the test made it
      select count(*)::int as held, extract(epoch from max(leased_until))::float8 as latest
      from webhooks.deliveries where subscription_id = ${subscription_id} and leased_until is not null`,
  )
}

test('after the pause of webhooks.deliver nothing is claimed, and nothing is lost', async () => {
  const other = await startProcess({ ...ground.environment, ROLES: 'worker' }, 'product')
  const receiver = await openReceiver()
  const owner = await ground.owner()
  const operator = await ground.member()
  await ground.allow(operator, 'jobs.types.pause', 'jobs.types.read')
  const event_filter = { types: ['account.verified'] }
  const made = await Promise.all(
    ['/a', '/b', '/c'].map(path => ground.subscribe(owner, at(receiver, path), { event_filter })),
  )
  receiver.answer(response => void setTimeout(() => response.writeHead(204).end(), 20))
  const steer = (verb: string, body?: object) =>
    ground.call('POST', `/v1/job-types/webhooks.deliver/${verb}`, {
      token: operator.token,
      ...(body ? { body } : {}),
    })
  const first = await ground.emit(owner, 200)
  await eventually('it is under way', () => receiver.received.length > 50)
  const paused = await steer('pause', { reason: 'the network is being mended' })
  const before = await Promise.all(made.map(({ id }) => leases(id)))
  expect([paused.status, paused.body.paused]).toEqual([200, true])
  const second = await ground.emit(owner, 50)
  for (const [index, { id }] of made.entries()) {
    await eventually('what was taken has ended', async () => {
      const now = await leases(id)
      // A lease that begins later ends later.
      expect(now.latest ?? 0).toBeLessThanOrEqual(before[index]?.latest ?? 0)
      return now.held === 0
    })
    await eventually('what comes meanwhile waits', async () => {
      return (await ground.deliveries(id)).length === first.length + second.length
    })
  }
  const taken = receiver.received.length
  expect(taken).toBeLessThan(3 * first.length)
  const shown = await ground.call('GET', '/v1/job-types/webhooks.deliver', operator)
  expect(shown.body).toMatchObject({ kind: 'activity' })
  expect(receiver.received).toHaveLength(taken)
  expect((await steer('resume')).status).toBe(200)
  for (const { id } of made) {
    const all = first.length + second.length
    const done = async () => (await ground.states(id))['delivered'] === all
    await eventually('all are delivered', done)
  }
  expect(receiver.received).toHaveLength(3 * (first.length + second.length))
  await other.kill()
  await receiver.close()
})
