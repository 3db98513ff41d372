/** Reports that are signed, and whose contents no provider should send. */
import { afterAll, expect, test } from 'vitest'
import { newId, newStandardSecret, parseStandardSecret, signStandard } from '#dodeca/kernel'
import { openNotifyWorld } from './notify-world.ts'

const text = newStandardSecret()
const world = await openNotifyWorld({ NOTIFICATIONS_OUTCOME_WEBHOOKS: `relay=standard:${text}` })
afterAll(() => world.close())

async function report(body: object): Promise<number> {
  const bytes = Buffer.from(JSON.stringify(body))
  const secret = parseStandardSecret(text)
  if (!secret) throw new Error('the secret has another form')
  const headers = signStandard({
    id: newId(),
    timestamp_seconds: Math.floor(Date.now() / 1000),
    body: bytes,
    secrets: [secret],
  })
  const answer = await world.call('POST', '/v1/providers/relay/webhooks', {
    body: bytes.toString(),
    headers: { ...headers, 'content-type': 'application/json' },
  })
  return answer.status
}

test.each([
  ['names a message like an id', 'email.delivered', { message_id: `<${'-'.repeat(36)}.email@x>` }],
  ['has a zero byte in its ids', 'email.bounced', { email_id: 'a\0b', message_id: '<a\0b@x>' }],
  ['has a type that every object has', 'constructor', { email_id: 'a' }],
])('a report that %s is accepted', async (_what, type, data) => {
  expect(await report({ type, data })).toBe(204)
})
