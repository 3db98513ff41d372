/**
 * The receiver's half of webhooks: the helper accepts what the platform and the reference library sign,
 * and nothing else; and the receiver that the package's page shows works as it stands.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort } from '../free-port.ts'
import { challengeOf, verifyWebhook, WebhookRefused } from '../../client/src/index.ts'
import { at, openGround } from '../../src/surfaces/webhooks/test/ground.ts'
import { openReceiver } from '../../src/surfaces/webhooks/test/receiver.ts'
import { signStandard } from '#dodeca/kernel'
import { eventually } from '../world.ts'
import { endsWithFile } from '../children.ts'

const ground = await openGround()
afterAll(() => ground.close())

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const now_ms = 1_700_000_000_000
const id = '0199a1b2-0000-7000-8000-000000000000'
const body = JSON.stringify({ id, type: 'account.verified', data: { name: 'Zoë \u2028 😀' } })

/** Signed by the reference library. */
function signed(secret: string, text = body, at_ms = now_ms): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at_ms / 1000),
    'webhook-signature': new Webhook(secret).sign(id, new Date(at_ms), text),
  }
}

const at_now = { now_ms }
const refusal = (
  secret: string | string[],
  text: string,
  headers: Record<string, string>,
  options: object = at_now,
) =>
  verifyWebhook(secret, text, headers, options).then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof WebhookRefused) return error.code
      throw error
    },
  )

describe('the helper', () => {
  test('accepts what the reference library signs, as text, bytes and from any kind of headers', async () => {
    const secret = newSecret()
    const headers = signed(secret)
    for (const sent of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
      for (const given of [headers, new Headers(headers)]) {
        const { event, attempt, replay_id } = await verifyWebhook(secret, sent, given, { now_ms })
        expect(event).toEqual(JSON.parse(body))
        expect([attempt, replay_id]).toEqual([1, null])
      }
    }
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    )
    expect(await refusal(secret, body, upper)).toBe('accepted')
  })

  test('accepts any of its secrets, and any of several signatures', async () => {
    const [old, fresh, other] = [newSecret(), newSecret(), newSecret()]
    expect(await refusal([old, fresh], body, signed(fresh))).toBe('accepted')
    const { 'webhook-signature': one } = signed(old)
    const { 'webhook-signature': two } = signed(fresh)
    const both = { ...signed(old), 'webhook-signature': `v1a,AAAA ${two} ${one}` }
    for (const secret of [old, fresh]) expect(await refusal(secret, body, both)).toBe('accepted')
    expect(await refusal(other, body, both)).toBe('signature_invalid')
  })

  test('refuses another body, id, time, and what is missing or old', async () => {
    const secret = newSecret()
    const headers = signed(secret)
    const rewritten = JSON.stringify(JSON.parse(body), null, 1)
    expect(await refusal(secret, rewritten, headers)).toBe('signature_invalid')
    const changes = { 'webhook-id': `${id}x`, 'webhook-timestamp': String(now_ms / 1000 + 1) }
    for (const change of Object.entries(changes)) {
      const changed = { ...headers, ...Object.fromEntries([change]) }
      expect(await refusal(secret, body, changed)).toBe('signature_invalid')
    }
    for (const name of Object.keys(headers)) {
      const { [name]: _gone, ...rest } = headers
      expect(await refusal(secret, body, rest)).toBe('headers_missing')
    }
    for (const away_ms of [-301_000, 301_000]) {
      expect(await refusal(secret, body, headers, { now_ms: now_ms + away_ms })).toBe(
        'timestamp_out_of_window',
      )
      const patient = { now_ms: now_ms + away_ms, tolerance_seconds: 302 }
      expect(await refusal(secret, body, headers, patient)).toBe('accepted')
    }
  })

  test('agrees with the reference library and the sender, whatever is sent', async () => {
    const bytes = fc.uint8Array({ minLength: 24, maxLength: 64 })
    await fc.assert(
      fc.asyncProperty(bytes, fc.json(), async (raw, text) => {
        const secret = `whsec_${Buffer.from(raw).toString('base64')}`
        const headers = signStandard({
          id,
          body: Buffer.from(text),
          timestamp_seconds: now_ms / 1000,
          secrets: [Buffer.from(raw)],
        })
        expect(headers).toEqual(signed(secret, text))
        const { event } = await verifyWebhook(secret, text, headers, { now_ms })
        expect(event).toEqual(JSON.parse(text))
      }),
      { numRuns: 200 },
    )
  })
})

test('what the platform sends verifies, and says which sending it is', async () => {
  const receiver = await openReceiver()
  const owner = await ground.owner()
  const secret = newSecret()
  const event_filter = { types: ['account.verified'] }
  const made = await ground.subscribe(owner, at(receiver), { event_filter, secret })
  const [challenge] = receiver.challenges
  const asked = await verifyWebhook(secret, challenge?.body ?? '', challenge?.headers ?? {})
  expect(challengeOf(asked.event)).toEqual({ challenge: expect.stringMatching(/^[\w-]{43}$/) })
  const [event_id] = await ground.emit(owner)
  const [delivery] = await eventually('it is delivered', async () => {
    const found = await ground.deliveries(made.id)
    return found[0]?.state === 'delivered' && found
  })
  const path = `/v1/webhook-deliveries/${delivery?.id}/replay`
  const replayed = await ground.call('POST', path, { ...owner, body: { reason: 'once more' } })
  await eventually('it comes again', () => receiver.received.length === 2)
  const [first, second] = await Promise.all(
    receiver.received.map(one => verifyWebhook(secret, one.body, one.headers)),
  )
  expect(challengeOf(first?.event ?? asked.event)).toBeNull()
  expect(first).toMatchObject({ attempt: 1, replay_id: null, delivery_id: delivery?.id })
  expect(second).toMatchObject({ attempt: 2, replay_id: replayed.body.replay_id })
  expect([first?.event.id, second?.event]).toEqual([event_id, first?.event])
  await receiver.close()
})

test('the receiver of the page answers the challenge and takes each event once', async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../client/README.md'), 'utf8')
  const [, example = ''] = /## Receiving webhooks[\s\S]*?```ts\n([\s\S]*?)```/.exec(page) ?? []
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-receiver-'))
  const client = resolve(import.meta.dirname, '../../client/src/index.ts')
  const program = `${example.replace('@dodeca/client', client)}\n`
  await writeFile(join(folder, 'receiver.ts'), program)
  const port = await freePort()
  const secret = newSecret()
  const child = endsWithFile(
    spawn(process.execPath, [join(folder, 'receiver.ts')], {
      env: { PORT: String(port), WEBHOOK_SECRETS: `${newSecret()} ${secret}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  let output = ''
  child.stdout.on('data', part => (output += String(part)))
  try {
    const url = `http://127.0.0.1:${port}`
    await eventually('it listens', () =>
      fetch(url).then(
        answer => answer.status === 401,
        () => false,
      ),
    )
    const owner = await ground.owner()
    const event_filter = { types: ['account.verified'] }
    const made = await ground.subscribe(owner, url, { event_filter, secret })
    await ground.emit(owner)
    await eventually('it is delivered', async () => {
      return (await ground.states(made.id))['delivered'] === 1
    })
    expect(output).toContain(`account.verified`)
  } finally {
    child.kill()
    await once(child, 'exit')
    await rm(folder, { recursive: true, force: true })
  }
})
