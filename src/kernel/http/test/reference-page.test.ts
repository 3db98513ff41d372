/** The API reference as a browser asks for it: the page, and the one program that it runs. */
import { afterAll, expect, test } from 'vitest'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld()
afterAll(() => world.close())

test('the reference is a page and its program, both our own', async () => {
  const bare = await world.call('GET', '/docs/api')
  expect([bare.status, bare.headers.get('location')]).toEqual([301, '/docs/api/'])
  const page = await world.call('GET', '/docs/api/')
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self'; /)
  expect(page.text).toContain('/docs/api/openapi.json')
  const sources = [...page.text.matchAll(/<script[^>]*\ssrc="([^"]+)"/g)].map(
    ([, source]) => source,
  )
  expect(sources).toEqual(['js/scalar.js'])
  const program = await world.call('GET', '/docs/api/js/scalar.js')
  expect(program.status).toBe(200)
  expect(program.headers.get('content-type')).toMatch(/^application\/javascript/)
  expect(program.text).toContain('createApiReference')
  const head = await world.call('HEAD', '/docs/api/')
  expect([head.status, head.text]).toEqual([200, ''])
})
