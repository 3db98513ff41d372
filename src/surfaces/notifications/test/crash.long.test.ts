/**
 * A sender that is killed between any two steps of a send over SMTP: everything is told at least once, and
 * a second copy exists only where the wire mark says that nobody could know.
 */
import { afterAll, expect, test } from 'vitest'
import { startProcess } from '../../../../test/process.ts'
import { newAddress, openNotifyWorld, usual_data } from './notify-world.ts'

// Requests are answered here; messages are sent by processes that are killed.
const world = await openNotifyWorld({
  ROLES: 'api',
  NOTIFICATIONS_LEASE_SECONDS: '10',
  NOTIFICATIONS_UNKNOWN_MAIL_SECONDS: '1',
  NOTIFICATIONS_CONNECTIONS: '4',
})
afterAll(() => world.close())

const environment = { ...world.environment, KERNEL_SANDBOX: 'false', ROLES: 'worker' }
/** What came before the mark is not sent twice; what came after it may be. */
const points = [
  ['notifications.after_claim', 'once'],
  ['notifications.before_wire', 'once'],
  ['notifications.after_wire', 'marked'],
  ['notifications.after_send', 'marked'],
  ['notifications.before_finish', 'marked'],
  // Others were on their way when the first results were recorded.
  ['notifications.after_finish', 'marked'],
] as const

test.each(points)(
  'killed at %s: told, and at most %s',
  async (point, copies) => {
    const who = await world.sender()
    const name = await world.template(who)
    const addresses = Array.from({ length: 8 }, newAddress)
    const ids: string[] = []
    for (const email of addresses) {
      const order = {
        recipient: { email },
        category: 'order.updates',
        template: { name },
        data: usual_data,
        channels: ['email'],
      }
      ids.push((await world.send(who, order)).body.id)
    }
    const victim = await startProcess(
      { ...environment, KERNEL_FAULTS: `${point}=kill@1` },
      'product',
    )
    expect((await victim.gone).signal).toBe('SIGKILL')
    const next = await startProcess(environment, 'product')
    for (const id of ids) await world.reaches(who, id, 'sent')
    for (const [index, email] of addresses.entries()) {
      const mails = await world.messages(email)
      const { attempts } = await world.read(who, ids[index] ?? '')
      expect(mails.length).toBeGreaterThanOrEqual(1)
      expect(new Set(mails.map(one => one.ref))).toEqual(new Set([`${ids[index]}.email`]))
      expect(mails.length).toBeLessThanOrEqual(copies === 'once' ? 1 : 2)
      const marked = attempts.filter(
        (one: { error_code: string }) => one.error_code === 'outcome_unknown',
      )
      expect(mails.length).toBeLessThanOrEqual(1 + marked.length)
    }
    await next.kill()
  },
  90_000,
)
