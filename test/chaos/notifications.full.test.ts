/**
 * A sender of mails that is killed between every two steps of a send, with fifty mails on their way, and
 * batches and attempts in full numbers.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import {
  killedAt,
  points,
  sending_elsewhere,
} from '../../src/surfaces/notifications/test/killed.ts'
import { openNotifyWorld, usual_data } from '../../src/surfaces/notifications/test/notify-world.ts'
import { newKey } from '../world.ts'

const world = await openNotifyWorld(sending_elsewhere)
afterAll(() => world.close())
const many = 50

test.each(points)('killed at %s: all arrive, and are sent %s', async (point, copies) => {
  expect(await killedAt(world, point, copies, many)).toBe(many)
})

describe('a batch of 50,000 lines', () => {
  test('whose last line is bad is accepted without it, however slowly it comes', async () => {
    const who = await world.sender()
    const name = await world.template(who)
    const head = {
      category: 'order.updates',
      template: { name },
      data: usual_data,
      channels: ['email'],
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    }
    const line = (index: number) => ({ recipient: { email: `r${index}-${newId()}@example.test` } })
    const first = line(0)
    const lines = [head, first, ...Array.from({ length: 49_997 }, (_, at) => line(at + 1)), first]
    const text = `${lines.map(one => JSON.stringify(one)).join('\n')}\nthis is no JSON\n`
    const body = new ReadableStream({
      pull: async controller => {
        for (let from = 0; from < text.length; from += 65_537) {
          controller.enqueue(new TextEncoder().encode(text.slice(from, from + 65_537)))
          await new Promise(resolve => setImmediate(resolve))
        }
        controller.close()
      },
    })
    const response = await fetch(`${world.url}/v1/notifications/batches`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${who.token}`,
        'content-type': 'application/x-ndjson',
        'idempotency-key': newKey(),
      },
      body,
      duplex: 'half',
    })
    const made = (await response.json()) as Record<string, unknown>
    expect([response.status, made]).toMatchObject([
      202,
      {
        total: 49_998,
        duplicates: 1,
        rejected_count: 1,
        rejected: [{ line: 50_001, code: 'validation_failed' }],
        counts: { scheduled: 49_998 },
      },
    ])
  })
})
