/**
 * Valid and malformed requests: a malformed one gets an explanation, never a 500 and never a
 * coercion.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBank } from '../../../../test/bank.ts'
import { newKey, openWorld, type World } from '../../../../test/world.ts'
import { rawRequest } from './raw-request.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

async function writer() {
  const person = world.person()
  await world.grant(person, 'notes.notes.write:*')
  return person
}

describe('bodies', () => {
  const cases: [string, string, number, string][] = [
    ['broken JSON', '{"title":', 400, 'malformed_json'],
    ['an empty body', '', 400, 'malformed_json'],
    ['only space', ' ', 400, 'malformed_json'],
    ['no JSON at all', 'title=x', 400, 'malformed_json'],
    ['an array', '[]', 422, 'validation_failed'],
    ['a number as text', '{"title":1}', 422, 'validation_failed'],
    ['a number for a text', '{"title":100,"labels":{"a":1}}', 422, 'validation_failed'],
    ['an infinite number', '{"title":"x","labels":{"a":1e400}}', 422, 'validation_failed'],
    [
      'an integer beyond 2^53',
      '{"title":"x","labels":{"a":9007199254740993}}',
      422,
      'validation_failed',
    ],
    ['a prototype', '{"title":"x","__proto__":{"admin":true}}', 400, 'malformed_request'],
    ['a constructor', '{"title":"x","labels":{"constructor":"x"}}', 400, 'malformed_request'],
    ['NUL in a text', '{"title":"a\\u0000b"}', 422, 'invalid_character'],
    ['a lone surrogate', '{"title":"\\ud800"}', 422, 'invalid_character'],
    [
      'NUL in a member name of a map',
      '{"title":"x","labels":{"a\\u0000":"x"}}',
      422,
      'invalid_character',
    ],
    [
      'depth 1,000',
      `{"title":"x","labels":${'['.repeat(1000)}${']'.repeat(1000)}}`,
      400,
      'malformed_request',
    ],
    ['a title too long', `{"title":"${'x'.repeat(201)}"}`, 422, 'validation_failed'],
    ['no title', '{}', 422, 'validation_failed'],
    ['null', 'null', 422, 'validation_failed'],
  ]
  test.each(cases)('%s is refused', async (_name, body, status, code) => {
    const { token } = await writer()
    const answer = await world.call('POST', '/v1/notes', { token, body })
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'))
  })

  test('counts the last of two equal members', async () => {
    const { token } = await writer()
    const answer = await world.call('POST', '/v1/notes', {
      token,
      body: '{"title":"a","title":"b"}',
    })
    expect([answer.status, answer.body.title]).toEqual([201, 'b'])
  })

  test('names locations and constraints, never values', async () => {
    const { token } = await writer()
    const body = { title: 7, place: { country: 'secret-country' }, kind: '' }
    const answer = await world.call('POST', '/v1/notes', { token, body })
    expect(answer.status).toBe(422)
    expect(answer.text).not.toContain('secret-country')
    expect(answer.body.errors).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ location: 'body', pointer: '/title', constraint: 'type' }),
        expect.objectContaining({ pointer: '/place/country', constraint: 'maxLength' }),
        expect.objectContaining({ pointer: '/kind', constraint: 'minLength' }),
      ]),
    )
  })

  test('refuses unknown members at every depth and says which', async () => {
    const { token } = await writer()
    const body = {
      title: 'x',
      owner_id: 'me',
      place: { city: 'Ulm', 'a,b': 1 },
      labels: { kept: 'yes' },
    }
    const answer = await world.call('POST', '/v1/notes?why=not', { token, body })
    expect([answer.status, answer.body.code]).toEqual([422, 'unsupported_field'])
    const named = answer.body.errors.map(
      (one: { location: string; pointer: string }) => `${one.location} ${one.pointer}`,
    )
    expect(named).toEqual(['query /why', 'body /owner_id', 'body /place/a,b'])
    const taken = { title: 'x', place: { city: 'Ulm' }, labels: { kept: 'yes' } }
    const { body: made } = await world.call('POST', '/v1/notes', { token, body: taken })
    expect(made.labels).toEqual({ kept: 'yes' })
  })

  test('names at most twenty unknown members, and does not count more than five thousand', async () => {
    const { token } = await writer()
    const send = (more: object) =>
      world.call('POST', '/v1/notes', { token, body: { title: 'x', ...more } })
    const many = await send({ ...unknown(4_998), ['é'.repeat(9_000)]: 1 })
    expect([many.status, many.body.code]).toEqual([422, 'unsupported_field'])
    expect(many.body.errors).toHaveLength(20)
    expect(many.text.length).toBeLessThan(8_192)
    const refused = await send(unknown(5_000))
    expect([refused.status, refused.body.code]).toEqual([413, 'content_too_large'])
    expect(refused.body.detail).toContain('at most 5000 members')
    const nested = await send({
      list: Array.from({ length: 5_000 }, (_, n) => ({ [`n${n}`]: n })),
    })
    expect(nested.status).toBe(413)
    // Colons in texts are no members.
    expect((await send({ text: '":{'.repeat(50_000) })).body.code).toBe('unsupported_field')
  })

  test('names the member that was probably meant', async () => {
    const { teller, open } = await openBank(world)
    const [from_id, to_id] = await Promise.all([open(100), open(0)])
    const misspelled = await world.call('POST', '/v1/book/transfers', {
      token: teller.token,
      key: newKey(),
      body: { from_id, to_id, amount_minor: 1, amout_minor: 1 },
    })
    expect(misspelled.status).toBe(422)
    expect(misspelled.body.detail).toContain('the nearest is `amount_minor`')
  })
})

describe('media types and sizes', () => {
  test('takes JSON in UTF-8 only', async () => {
    const { token } = await writer()
    const send = (type: string, body = '{"title":"x"}') =>
      world.call('POST', '/v1/notes', { token, body, headers: { 'content-type': type } })
    expect((await send('application/json; charset=utf-8')).status).toBe(201)
    expect((await send('text/plain')).body.code).toBe('unsupported_media_type')
    expect((await send('application/json; charset=latin1')).body.code).toBe(
      'unsupported_media_type',
    )
    expect((await send('application/merge-patch+json')).body.code).toBe('unsupported_media_type')
    expect((await send('application/x-www-form-urlencoded', 'title=x')).status).toBe(415)
  })

  test('refuses a body without a type, and one that is encoded', async () => {
    const { token } = await writer()
    const raw = await rawRequest(
      world.url,
      `POST /v1/notes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-length: 13\r\nconnection: close\r\n\r\n{"title":"x"}`,
    )
    expect(raw).toMatch(/^HTTP\/1.1 415/)
    const encoded = (encoding: string) =>
      world.call('POST', '/v1/notes', {
        token,
        body: { title: 'x' },
        headers: { 'content-encoding': encoding },
      })
    expect((await encoded('gzip')).status).toBe(415)
    expect((await encoded('identity')).status).toBe(201)
  })

  test('refuses a body that is announced too large before reading it, and closes', async () => {
    const { token } = await writer()
    const raw = await rawRequest(
      world.url,
      `POST /v1/notes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 2000000\r\n\r\n`,
    )
    expect(raw).toMatch(/^HTTP\/1.1 413/)
    expect(raw.toLowerCase()).toContain('connection: close')
    expect(raw).toContain('"code":"content_too_large"')
  })

  test('counts a chunked body', async () => {
    const { token } = await writer()
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`
    const raw = await rawRequest(
      world.url,
      `POST /v1/notes HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(40)}0\r\n\r\n`,
    )
    expect(raw).toMatch(/^HTTP\/1.1 413/)
  })

  test('answers 406 only where no representation fits', async () => {
    const { token } = world.person()
    const ask = (accept: string) => world.call('GET', '/v1/notes', { token, headers: { accept } })
    expect((await ask('text/html')).body.code).toBe('not_acceptable')
    expect((await ask('text/html, application/*;q=0.1')).status).toBe(200)
    expect((await ask('application/json;q=0')).status).toBe(406)
    const stream = await world.call('POST', '/v1/relay/words:stream', {
      token,
      body: { text: 'a' },
      headers: { accept: 'application/json' },
    })
    expect(stream.status).toBe(406)
    expect(stream.headers.get('content-type')).toContain('problem+json')
  })
})

describe('addresses and methods', () => {
  test('tells a wrong method from a wrong path', async () => {
    const { token } = world.person()
    const wrong = await world.call('PUT', '/v1/notes/01890000-0000-7000-8000-000000000000', {
      token,
    })
    expect([wrong.status, wrong.body.code]).toEqual([405, 'method_not_allowed'])
    expect(wrong.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH')
    expect((await world.call('GET', '/v1/nothing/here')).body.code).toBe('not_found')
    const options = await world.call('OPTIONS', '/v1/notes')
    expect([options.status, options.headers.get('allow')]).toEqual([
      204,
      'GET, HEAD, OPTIONS, POST',
    ])
  })

  test('answers HEAD like GET, without a body', async () => {
    const { token } = world.person()
    const head = await world.call('HEAD', '/v1/notes', { token })
    const get = await world.call('GET', '/v1/notes', { token })
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
  })

  test('has no HEAD where GET may have effects', async () => {
    const reading = await world.call('HEAD', '/dev')
    const acting = await world.call('HEAD', '/dev/inbox/messages')
    expect([reading.status, acting.status, acting.text]).toEqual([200, 405, ''])
    expect(acting.headers.get('allow')).toBe('DELETE, GET, OPTIONS')
  })

  test('a malformed id is as absent as an unknown one', async () => {
    const { token } = world.person()
    const codeOf = async (id: string) =>
      (await world.call('GET', `/v1/notes/${id}`, { token })).body.code
    const ids = ['nonsense', '01890000-0000-7000-8000-000000000000', 'x'.repeat(400)]
    expect(new Set(await Promise.all(ids.map(codeOf)))).toEqual(new Set(['note_not_found']))
    // What no text may hold is refused before anything is looked for.
    expect(await codeOf('%00')).toBe('invalid_character')
  })

  test('names no server and guards every answer', async () => {
    const answer = await world.call('GET', '/v1/nothing/here')
    expect(answer.headers.get('server')).toBeNull()
    expect(answer.headers.get('x-powered-by')).toBeNull()
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

function unknown(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`u${n}`, 1]))
}

test.each([
  ['/v1/notse', 'Did you mean /v1/notes?'],
  ['/v1/notse/7', 'Did you mean /v1/notes/{note_id}?'],
  ['/v1/nonsense', 'this path. All paths'],
])('%s is 404 with a path that is near, if one is', async (path, hint) => {
  const answer = await world.call('GET', path)
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  expect(answer.body.detail).toContain(hint)
})
