/** Values that a log line must never contain, at any depth. */
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLog } from '../log.ts'

const hidden = ['authorization', 'cookie', 'password', 'token', 'secret', 'code', 'email', 'key']

test('secrets are taken out at every depth that we log at', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...hidden),
      fc.integer({ min: 0, max: 2 }),
      fc.stringMatching(/^[A-Za-z0-9]{12,30}$/),
      (name, depth, value) => {
        let fields: Record<string, unknown> = { [name]: `canary${value}` }
        for (let i = 0; i < depth; i++) fields = { [`level${i}`]: fields }
        const lines = new PassThrough()
        openLog({ level: 'info', readable: false, to: lines }).info(fields, 'a line')
        const text = String(lines.read())
        expect(text).toContain('a line')
        expect(text).not.toContain(`canary${value}`)
      },
    ),
  )
})

test('an error is logged by its code, without attached values', () => {
  const lines = new PassThrough()
  const more = { code: 'ECONNREFUSED', detail: 'canary', client: { secretKey: 'canary' } }
  const error = Object.assign(new Error('no answer'), more)
  const log = openLog({ level: 'info', readable: false, to: lines })
  log.error({ err: error }, 'a line')
  const known = { type: 'Error', message: 'no answer', error_code: 'ECONNREFUSED' }
  expect(JSON.parse(String(lines.read())).err).toEqual({ ...known, stack: expect.any(String) })
  log.error({ err: new AggregateError([error, 'no error'], 'nowhere') }, 'a line')
  const { err } = JSON.parse(String(lines.read()))
  expect(err.errors).toMatchObject([known, { message: 'no error' }])
  expect(JSON.stringify(err)).not.toContain('canary')
})
