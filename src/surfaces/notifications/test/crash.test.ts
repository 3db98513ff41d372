/** One kill in the middle of a send, and one of a batch; all of them are in `test/chaos/notifications.full.test.ts`. */
import { Type } from 'typebox'
import { afterAll, expect, test } from 'vitest'
import { startProcess } from '../../../../test/process.ts'
import { newKey } from '../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { killedAt, sending_elsewhere } from './killed.ts'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

const world = await openNotifyWorld(sending_elsewhere)
afterAll(() => world.close())

test('killed after the hand-over: sent, and doubled only behind the wire mark', async () => {
  expect(await killedAt(world, 'notifications.after_send', 'marked', 6)).toBe(6)
})

test('a batch whose process is killed before its reply is sent once by the retry', async () => {
  const who = await world.sender()
  const name = await world.template(who)
  const addresses = Array.from({ length: 5 }, newAddress)
  const head = {
    category: 'order.updates',
    template: { name },
    data: usual_data,
    channels: ['email'],
  }
  const lines = [head, ...addresses.map(email => ({ recipient: { email } }))]
  const request = {
    method: 'POST',
    headers: {
      authorization: `Bearer ${who.token}`,
      'content-type': 'application/x-ndjson',
      'idempotency-key': newKey(),
    },
    body: lines.map(line => JSON.stringify(line)).join('\n'),
  }
  const to = (url: string) => fetch(`${url}/v1/notifications/batches`, request)
  const environment = { ...world.environment, KERNEL_SANDBOX: 'false', ROLES: 'api' }
  const victim = await startProcess(
    { ...environment, KERNEL_FAULTS: 'notifications.before_dispatching=kill@1' },
    'product',
  )
  await expect(to(victim.url)).rejects.toThrow()
  expect((await victim.gone).signal).toBe('SIGKILL')
  expect((await to(world.url)).status).toBe(409)
  const { db } = world.platform.kernel
  await db.run(sql`
    update kernel.idempotency_records set leased_until = now() where tenant_id = ${who.tenant.id}`)
  const [made, again] = [await to(world.url), await to(world.url)]
  const batch = (await made.json()) as { id: string; total: number }
  expect([made.status, batch.total]).toEqual([202, 5])
  expect([again.status, await again.json()]).toEqual([202, batch])
  const rows = await db.many(
    Type.Object({ n: Type.Integer() }),
    sql`
      select count(*)::int as n from notifications.notification_intents
      where tenant_id = ${who.tenant.id} group by batch_id`,
  )
  expect(rows).toEqual([{ n: 5 }])
})
