/** Submissions as an enemy or a broken client writes them: refused in words, or stored exactly as sent. */
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { newKey } from '../../../../test/world.ts'
import { openAskingWorld } from './asking-world.ts'

const world = await openAskingWorld({ JOBS_TENANT_WAITING: '100000' })
afterAll(() => world.close())

const idle = await world.idleType()
const who = await world.person()

const send = (body: string) =>
  world.call('POST', '/v1/jobs', { token: who.token, key: newKey(), body })
const withParameters = (json: string) => send(`{"type":"${idle}","parameters":${json}}`)
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const sized = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - '{"a":""}'.length) })

describe.concurrent('a hostile submission', () => {
  test.each([
    ['a NUL', String.raw`{"a":"\u0000"}`, 422],
    ['a NUL in a name', String.raw`{"\u0000":1}`, 422],
    ['half a surrogate pair', String.raw`{"a":"\ud800"}`, 422],
    ['a prototype', '{"__proto__":{"admin":true}}', 400],
    ['a constructor', '{"constructor":{"prototype":{}}}', 400],
    ['a number beyond all', '{"a":1e400}', 422],
    ['an integer that lost digits', '{"a":9007199254740993}', 422],
    ['a depth of 200', nested(200), 400],
    ['one byte too many', sized(16 * 1024 + 1), 413],
    ['a list', '[]', 422],
    ['a text', '"x"', 422],
    ['nothing', 'null', 422],
    ['invalid JSON', '{"a":}', 400],
  ])('%s is refused', async (_what, json, status) => {
    const answer = await withParameters(json)
    expect([answer.status, typeof answer.body.code]).toEqual([status, 'string'])
  })

  test.each([
    ['a type that is a path', '{"type":"../../etc/passwd"}'],
    ['a type of SQL', `{"type":"x'; drop table jobs.jobs; --"}`],
    ['a type of 101 characters', JSON.stringify({ type: 'x'.repeat(101) })],
    ['a priority that is a text', `{"type":"${idle}","priority":"1"}`],
    ['a time that is none', `{"type":"${idle}","scheduled_at":"tomorrow"}`],
    ['a day that is none', `{"type":"${idle}","scheduled_at":"2027-02-30T00:00:00Z"}`],
    ['a year that is none', `{"type":"${idle}","deadline_at":"0000-01-01T00:00:00Z"}`],
    [
      '51 parents',
      JSON.stringify({ type: idle, depends_on: Array.from({ length: 51 }, () => ({})) }),
    ],
  ])('%s is refused with 422', async (_what, body) => {
    const answer = await send(body)
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
  })

  test('16 KiB fit, to the byte', async () => {
    expect((await withParameters(sized(16 * 1024))).status).toBe(202)
  })

  test('what the platform decides cannot be sent', async () => {
    const answer = await send(`{"type":"${idle}","state":"succeeded","tenant_id":"x","version":9}`)
    expect([answer.status, answer.body.code]).toEqual([422, 'unsupported_field'])
    const pointers = answer.body.errors.map((one: { pointer: string }) => one.pointer)
    expect(pointers).toEqual(['/state', '/tenant_id', '/version'])
  })

  test('whatever is accepted is stored as it was sent, and nothing makes a 500', async () => {
    const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' })
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ unit: 'binary' }), json), async parameters => {
        const answer = await withParameters(JSON.stringify(parameters))
        expect([202, 400, 413, 422]).toContain(answer.status)
        if (answer.status !== 202) return
        const [row] = await world.query<{ parameters: unknown }>(
          'select parameters from jobs.job_inputs where job_id = $1',
          [answer.body.id],
        )
        // -0 is no JSON: it is sent as 0.
        expect(row?.parameters ?? {}).toEqual(JSON.parse(JSON.stringify(parameters)))
      }),
      { numRuns: 200 },
    )
  })
})
