/** Where a webhook may go, whatever names, redirects and kept connections say. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../test/world.ts'
import { openGround, type Ground } from './ground.ts'
import { openNames } from './names.ts'
import { fine, openReceiver, status } from './receiver.ts'

const names = await openNames()
/** At 127.0.0.1, which is allowed with this port; the sink hears on the same port of another address. */
const receiver = await openReceiver('127.0.0.1')
const sink = await openReceiver('127.0.0.2')
let ground: Ground

beforeAll(async () => {
  ground = await openGround({
    WEBHOOKS_DNS_SERVERS: names.address,
    WEBHOOKS_ALLOWED_PRIVATE_CIDRS: `127.0.0.1:${receiver.port}`,
    WEBHOOKS_ALLOWED_PORTS: `443,${receiver.port},${sink.port}`,
    WEBHOOKS_RETRY_SCHEDULE: '0,1,1,1,1,1',
  })
})
afterAll(async () => {
  await ground.close()
  await Promise.all([receiver.close(), sink.close(), names.close()])
})

async function named(name: string, path = '/') {
  names.lay(name, ['127.0.0.1'])
  const owner = await ground.owner()
  const made = await ground.subscribe(owner, `http://${name}:${receiver.port}${path}`, {
    event_filter: { types: ['account.verified'] },
  })
  return { owner, made }
}

describe('a name', () => {
  test.for([
    ['another address', ['127.0.0.2']],
    ['a mixed set', ['127.0.0.1', '127.0.0.2']],
    ['a mapped address', ['::ffff:7f00:2']],
    ['metadata', ['169.254.169.254']],
    ['the other family', ['127.0.0.1', '::1']],
  ] as const)('that turns to %s is not followed', async ([, set], { task }) => {
    const name = `turns-${task.id.replaceAll(/\W/g, '')}.test`
    const path = `/${name}`
    receiver.answer(fine)
    const { owner, made } = await named(name, path)
    await ground.emit(owner)
    // From here on a connection to the endpoint is open and idle.
    await eventually('the first came', () => receiver.of(path).length === 1)
    names.lay(name, set)
    const [second] = await ground.emit(owner)
    const find = async () => (await ground.deliveries(made.id)).find(one => one.event_id === second)
    await eventually(
      'the second is refused',
      async () => (await find())?.last_error_code === 'blocked_address',
    )
    expect(receiver.of(path)).toHaveLength(1)
    expect(sink.connections()).toBe(0)
    const end = await eventually('it is given up', async () => {
      const one = await find()
      return one?.state === 'permanent_failure' && one
    })
    expect(end.attempt_count).toBe(4)
  })
})

describe('a redirect', () => {
  test.for([
    [
      'to a blocked address',
      307,
      (): string => `http://127.0.0.2:${sink.port}/`,
      'blocked_address',
    ],
    ['to another port', 308, (): string => 'http://127.0.0.1:22/', 'blocked_port'],
    [
      'in a circle',
      307,
      (): string => `http://127.0.0.1:${receiver.port}/circle`,
      'too_many_redirects',
    ],
    [
      'of another kind',
      302,
      (): string => `http://127.0.0.1:${receiver.port}/`,
      'redirect_not_followed',
    ],
  ] as const)('%s is refused', async ([title, code, to, error_code]) => {
    const { owner, made } = await named(`redirect-${title.replaceAll(' ', '-')}.test`, '/circle')
    receiver.answer(status(code, { location: to() }))
    await ground.emit(owner)
    const [delivery] = await eventually('it was tried', async () => {
      const found = await ground.deliveries(made.id)
      return (found[0]?.attempt_count ?? 0) > 0 && found
    })
    const [attempt] = await ground.attempts(delivery?.id ?? '')
    expect(attempt?.error_code).toBe(error_code)
    expect(sink.connections()).toBe(0)
    await ground.call('DELETE', `/v1/webhook-subscriptions/${made.id}`, owner)
  })

  test('of 307 to an allowed place is followed with the same signature', async () => {
    const { owner } = await named('redirect-fine.test', '/from')
    receiver.answer((response, one) =>
      one.path === '/from'
        ? status(307, { location: '/there' })(response, one)
        : fine(response, one),
    )
    await ground.emit(owner)
    await eventually('it arrived', () => receiver.of('/there').length === 1)
    const [from] = receiver.of('/from')
    const [there] = receiver.of('/there')
    expect(there?.headers['webhook-signature']).toBe(from?.headers['webhook-signature'])
    expect(there?.body).toEqual(from?.body)
  })
})

describe('an endpoint', () => {
  test.for([
    ['ftp://example.com/', 'scheme'],
    ['http://user:secret@example.com/', 'userinfo'],
    ['https://example.com:22/', 'port'],
    ['https://example.com/#there', 'fragment'],
    ['https://93.184.215.14/', 'literal'],
    ['https://0x7f.1/', 'literal'],
    ['https://2130706433/', 'literal'],
    ['https://[::1]/', 'literal'],
    ['https://metadata.google.internal/', 'host'],
    ['https://printer.local/', 'host'],
    ['not an address', 'syntax'],
  ])('%s is refused when it is named', async ([endpoint, constraint]) => {
    const { token } = await ground.owner()
    const body = { endpoint, event_filter: { types: ['*'] }, api_version: '2026-01' }
    const refused = await ground.call('POST', '/v1/webhook-subscriptions', { token, body })
    expect(refused.status).toBe(422)
    expect(refused.body).toMatchObject({
      code: 'endpoint_not_allowed',
      errors: [{ pointer: '/endpoint', constraint }],
    })
    expect(refused.text).not.toContain('secret@')
  })

  test('an opened net opens no inner name, but for those that are listed', async () => {
    const inner = await openGround({
      WEBHOOKS_ALLOWED_PRIVATE_CIDRS: '10.1.0.0/16,hooks.corp.internal,.build.local',
    })
    const { token } = await inner.owner()
    const ask = async (host: string) => {
      const body = {
        endpoint: `https://${host}/`,
        event_filter: { types: ['*'] },
        api_version: '2026-01',
        verification: 'manual',
      }
      const path = '/v1/webhook-subscriptions'
      const answer = await inner.call('POST', path, { token, body })
      return [host, answer.status, answer.body.errors?.[0]?.constraint]
    }
    for (const host of [
      'localhost',
      'a.localhost',
      'metadata',
      'instance-data',
      'metadata.google.internal',
      'other.corp.internal',
      'a.hooks.corp.internal',
      'printer.local',
      'build.local',
    ]) {
      expect(await ask(host)).toEqual([host, 422, 'host'])
    }
    for (const host of ['hooks.corp.internal', 'one.build.local']) {
      expect(await ask(host)).toEqual([host, 201, undefined])
    }
    await inner.close()
  })

  test.for([
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
    [' https://EXAMPLE.com.:443/a\nb ', 'https://example.com/ab'],
    ['https://example.com\\@example.org/', 'https://example.com/@example.org/'],
  ])('%j is kept as it is sent to', async ([endpoint, kept]) => {
    const { token } = await ground.owner()
    const asked = { event_filter: { types: ['*'] }, api_version: '2026-01', verification: 'manual' }
    const path = '/v1/webhook-subscriptions'
    const made = await ground.call('POST', path, { token, body: { ...asked, endpoint } })
    expect([made.status, made.body.endpoint]).toEqual([201, kept])
    // The same place in other words is no move.
    const one = `${path}/${made.body.id}`
    const patched = await ground.call('PATCH', one, { token, body: { endpoint } })
    expect(patched.body.endpoint).toBe(kept)
  })

  test('that becomes too long when it is written out is refused', async () => {
    const { token } = await ground.owner()
    const endpoint = `https://example.com/${'ü'.repeat(500)}`
    const body = { endpoint, event_filter: { types: ['*'] }, api_version: '2026-01' }
    const refused = await ground.call('POST', '/v1/webhook-subscriptions', { token, body })
    expect(refused.body).toMatchObject({ errors: [{ constraint: 'length' }] })
  })

  test('is refused when it is changed to one, too', async () => {
    const { owner, made } = await named('patched.test')
    const path = `/v1/webhook-subscriptions/${made.id}`
    const body = { endpoint: 'http://169.254.169.254/' }
    const refused = await ground.call('PATCH', path, { token: owner.token, body })
    expect(refused.body.code).toBe('endpoint_not_allowed')
  })
})
