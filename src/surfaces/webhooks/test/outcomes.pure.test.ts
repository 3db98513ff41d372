/** What an answer means, what is kept of it, and which types a pattern reaches. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nounOf, mayRead, patternsOf } from '#dodeca/kernel'
import { excerptOf, ofResponse } from '../sending/outcome.ts'

describe('an answer', () => {
  const response = (status: number, headers = {}) =>
    ofResponse({
      status,
      headers,
      body: Buffer.from(''),
      truncated: false,
      timings: { dns_ms: 0, connect_ms: 0, tls_ms: 0, first_byte_ms: 0, total_ms: 0 },
      url: '',
      address: '',
    })

  test.for([
    [200, 'delivered', null],
    [204, 'delivered', null],
    [299, 'delivered', null],
    [301, 'retry', 'redirect_not_followed'],
    [400, 'permanent', 'http_4xx'],
    [404, 'permanent', 'http_4xx'],
    [408, 'retry', 'http_4xx'],
    [410, 'gone', 'gone'],
    [429, 'retry', 'rate_limited'],
    [500, 'retry', 'http_5xx'],
    [501, 'permanent', 'http_5xx'],
    [502, 'retry', 'http_5xx'],
    [505, 'permanent', 'http_5xx'],
    [507, 'retry', 'http_5xx'],
    [599, 'retry', 'http_5xx'],
  ] as const)('%i means %s', ([status, verdict, error_code]) => {
    expect(response(status)).toMatchObject({ verdict, error_code })
  })

  test('asks for a wait of at most a day, and only where that means something', () => {
    expect(response(503, { 'retry-after': '120' }).wait_seconds).toBe(120)
    expect(response(429, { 'retry-after': '999999' }).wait_seconds).toBe(86_400)
    expect(response(429, { 'retry-after': '9'.repeat(400) }).wait_seconds).toBe(86_400)
    expect(response(500, { 'retry-after': '120' }).wait_seconds).toBeNull()
  })

  test('is kept as a text that can be stored, whatever its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 6000 }), bytes => {
        const text = excerptOf(Buffer.from(bytes)) ?? ''
        expect(text.length).toBeLessThanOrEqual(1024)
        expect(text.isWellFormed()).toBe(true)
        expect(text).not.toContain('\u0000')
      }),
    )
    expect(excerptOf(Buffer.from('ok\u0007 \n fine'))).toBe('ok \n fine')
  })
})

test('types belong to groups, and a grant reaches a type, a group or all', () => {
  expect(nounOf('payment.authorized')).toBe('payment')
  expect(nounOf('OrderConfirmed')).toBe('order')
  expect(patternsOf('OrderConfirmed')).toEqual(['*', 'order.*', 'OrderConfirmed'])
  const grants = (...types: string[]) => new Set(types.map(type => `webhooks.events.read:${type}`))
  expect(mayRead(grants('order.*'), 'OrderConfirmed')).toBe(true)
  expect(mayRead(grants('OrderConfirmed'), 'order.*')).toBe(false)
  expect(mayRead(grants('payment.*'), '*')).toBe(true)
  expect(mayRead(grants(), '*')).toBe(false)
  expect(mayRead(grants('*'), 'order.*')).toBe(true)
})
