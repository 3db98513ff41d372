/**
 * A sender that is killed at a point of a send over SMTP, and another one that goes on: everything arrives
 * at least once, and a second copy exists only where the wire mark says that it is not known.
 */
import { expect } from 'vitest'
import { startProcess } from '../../../../test/process.ts'
import { newAddress, usual_data, type NotifyWorld } from './notify-world.ts'

/** Requests are answered by the world's process; messages are sent by processes that are killed. */
export const sending_elsewhere = {
  ROLES: 'api',
  NOTIFICATIONS_LEASE_SECONDS: '10',
  NOTIFICATIONS_UNKNOWN_MAIL_SECONDS: '1',
  NOTIFICATIONS_CONNECTIONS: '8',
}

/**
 * Between every two steps: claim, wire mark, hand-over, commit of the result. What came before the mark is
 * sent once; what came after it may be sent twice.
 */
export const points = [
  ['notifications.after_claim', 'once'],
  ['notifications.before_wire', 'once'],
  ['notifications.after_wire', 'marked'],
  ['notifications.after_send', 'marked'],
  ['notifications.before_finish', 'marked'],
  // Others were on their way when the first results were recorded.
  ['notifications.after_finish', 'marked'],
] as const

type Attempt = { error_code: string | null; wire_at: string | null; attempt_no: number }

/** Returns how many of them arrived. */
export async function killedAt(
  world: NotifyWorld,
  point: string,
  copies: 'once' | 'marked',
  many: number,
): Promise<number> {
  const who = await world.sender()
  const name = await world.template(who)
  const addresses = Array.from({ length: many }, newAddress)
  const ids = await Promise.all(
    addresses.map(async email => {
      const order = { recipient: { email }, category: 'order.updates', template: { name } }
      const sent = await world.send(who, { ...order, data: usual_data, channels: ['email'] })
      return sent.body.id as string
    }),
  )
  const environment = { ...world.environment, KERNEL_SANDBOX: 'false', ROLES: 'worker' }
  const victim = await startProcess({ ...environment, KERNEL_FAULTS: `${point}=kill@1` }, 'product')
  expect((await victim.gone).signal).toBe('SIGKILL')
  const next = await startProcess(environment, 'product')
  let reached = 0
  try {
    for (const [index, email] of addresses.entries()) {
      const id = ids[index] ?? ''
      await world.reaches(who, id, 'sent')
      const mails = await world.messages(email)
      const attempts = (await world.read(who, id)).attempts as Attempt[]
      const doubted = attempts.filter(one => one.error_code === 'outcome_unknown')
      expect(mails.length).toBeGreaterThanOrEqual(1)
      expect(mails.length).toBeLessThanOrEqual(copies === 'once' ? 1 : 1 + doubted.length)
      // The marker: what was doubted had left, and each copy has one Message-ID.
      expect(doubted.every(one => one.wire_at !== null)).toBe(true)
      expect(new Set(mails.map(one => one.ref))).toEqual(new Set([`${id}.email`]))
      reached++
    }
  } finally {
    await next.kill()
  }
  return reached
}
