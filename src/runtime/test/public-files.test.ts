/** The files of a front end: what is served, how, and at no other path or host. */
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { rawRequest } from '../../kernel/http/test/raw-request.ts'
import { openApp, type World } from '../../testing/entry.ts'
import { leads } from '../../../test/surfaces/leads/surface.ts'
import { hasHash, readPublicFiles } from '../public-files.ts'

process.env['TEST_DATABASE_URL'] = inject('admin_url')

let folder: string
let world: World
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dodeca-public-'))
  await put('public/index.html', '<!doctype html><title>Leads</title>')
  await put('public/assets/app-3f2a9c1b.js', 'export const a = 1')
  await put('public/app.js', '0123456789')
  await put('public/a file.txt', 'spaces')
  await put('public/favicon.ico', 'icon')
  await put('public/.env', 'SECRET=1')
  await put('public/.well-known/x.txt', 'hidden')
  await put('secret.txt', 'secret')
  const given = { surfaces: ['links' as const, leads], public: './public/' }
  world = await openApp(given, { KERNEL_SANDBOX: 'false' }, folder)
})
afterAll(async () => {
  await world.close()
  await rm(folder, { recursive: true })
})

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

const get = (path: string, headers: Record<string, string> = {}) =>
  world.call('GET', path, { headers })

test('the page is at / for a browser, and the API for a program', async () => {
  const page = await get('/', { accept: 'text/html,*/*' })
  expect([page.status, page.headers.get('content-type'), page.headers.get('vary')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'accept',
  ])
  expect(page.text).toContain('<title>Leads')
  expect((await get('/?a=b', { accept: 'text/html' })).text).toBe(page.text)
  expect((await get('/index.html')).text).toBe(page.text)
  expect((await get('/')).body).toMatchObject({ name: 'dodeca' })
  expect((await get('/no-such-page', { accept: 'text/html' })).status).toBe(404)
})

test('a file has its policy, its type and its tag; only a hashed name is kept', async () => {
  const { headers, text } = await get('/app.js?x=1')
  expect(text).toBe('0123456789')
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-length': '10',
    'cache-control': 'no-cache',
    'content-security-policy':
      "default-src 'self'; object-src 'none'; base-uri 'self'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
  })
  const etag = headers.get('etag') ?? ''
  const again = await get('/app.js', { 'if-none-match': `W/"x", ${etag}` })
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
  const head = await world.call('HEAD', '/app.js')
  expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', '10'])
  const hashed = await get('/assets/app-3f2a9c1b.js')
  expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect((await get('/a%20file.txt')).text).toBe('spaces')
  expect((await get('/favicon.ico')).text).toBe('icon')
})

test.each([
  ['app-BfA1x9_k.js', true],
  ['app.3f2a9c1b7e4d.css', true],
  ['chunk-5XQ3ZK7M.js.map', true],
  ['app.js', false],
  ['jquery-accordion.js', false],
  ['photo-1024x768.png', false],
  ['report-20240101.pdf', false],
  ['my-getUser2Name.js', false],
])('%s has a hash: %s', (name, is) => {
  expect(hasHash(`/srv/x-3f2a9c1b/${name}`)).toBe(is)
})

test.each([
  ['bytes=2-4', undefined, 206, '234', 'bytes 2-4/10'],
  ['bytes=8-', undefined, 206, '89', 'bytes 8-9/10'],
  ['bytes=-3', undefined, 206, '789', 'bytes 7-9/10'],
  ['bytes=0-99', undefined, 200, '0123456789', null],
  ['bytes=50-', undefined, 200, '0123456789', null],
  ['bytes=0-1,3-4', undefined, 200, '0123456789', null],
  ['bytes=2-4', '"another"', 200, '0123456789', null],
])('range %s with if-range %s is %i', async (range, if_range, status, text, content_range) => {
  const answer = await get('/app.js', { range, ...(if_range ? { 'if-range': if_range } : {}) })
  expect([answer.status, answer.text, answer.headers.get('content-range')]).toEqual([
    status,
    text,
    content_range,
  ])
})

test('another method is 405', async () => {
  const { status, headers, body } = await world.call('POST', '/app.js', { body: {} })
  expect([status, headers.get('allow'), body.code]).toEqual([
    405,
    'GET, HEAD',
    'method_not_allowed',
  ])
})

test.each([
  '/../secret.txt',
  '/..%2fsecret.txt',
  '/%2e%2e/secret.txt',
  '/%2e%2e%2fsecret.txt',
  '/%252e%252e%252fsecret.txt',
  '/assets/..%2f..%2fsecret.txt',
  '/assets/../app.js',
  '/assets%2fapp-3f2a9c1b.js',
  '/assets\\app-3f2a9c1b.js',
  '/assets%5capp-3f2a9c1b.js',
  '//app.js',
  '/assets//app-3f2a9c1b.js',
  '/app.js/',
  '/app.js%00',
  '/app.js%00.html',
  '/%61%2570p.js',
  '/APP.JS',
  '/.env',
  '/%2eenv',
  '/.well-known/x.txt',
  '/assets',
  '/assets/',
])('%s is 404', async path => {
  const answer = await rawRequest(
    world.url,
    `GET ${path} HTTP/1.1\r\nhost: ${new URL(world.url).host}\r\nconnection: close\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 404 /)
  expect(answer).not.toMatch(/secret$|SECRET|0123456789|export const/)
})

test('a malformed path is refused', async () => {
  const answer = await rawRequest(
    world.url,
    `GET /app%zz.js HTTP/1.1\r\nhost: ${new URL(world.url).host}\r\nconnection: close\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 40[04] /)
})

test('the domain of a tenant has links only', async () => {
  for (const path of ['/app.js', '/']) {
    const answer = await rawRequest(
      world.url,
      `GET ${path} HTTP/1.1\r\nhost: go.acme.com\r\naccept: text/html\r\nconnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
  }
})

test('the API and the links beside it answer as before', async () => {
  expect((await get('/v1/leads')).status).toBe(401)
  expect((await get('/nosuchcode')).body.code).toBe('link_not_found')
  const client = await get('/client/v1/client.js')
  expect(client.headers.get('content-type')).toContain('text/javascript')
  const same = await get('/client/v1/client.js', {
    'if-none-match': client.headers.get('etag') ?? '',
  })
  expect(same.status).toBe(304)
})

test('in development a change is seen at once, and a link never', async () => {
  await put('public/page.html', 'one')
  const first = await get('/page.html')
  await put('public/page.html', 'three')
  const second = await get('/page.html')
  expect([first.text, second.text]).toEqual(['one', 'three'])
  expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'))
  await rm(join(folder, 'public/page.html'))
  expect((await get('/page.html')).status).toBe(404)
  await symlink(join(folder, 'secret.txt'), join(folder, 'public/page.html'))
  expect((await get('/page.html')).status).toBe(404)
  await rm(join(folder, 'public/page.html'))
  await symlink(folder, join(folder, 'public/up'))
  expect((await get('/up/secret.txt')).status).toBe(404)
  await rm(join(folder, 'public/up'))
})

test('in production it has what it had at the start', async () => {
  await put('public/page.html', 'one')
  const dir = join(folder, 'public')
  const files = await readPublicFiles({ dir, csp: `script-src 'none'` }, false)
  expect(files.csp).toBe(`script-src 'none'`)
  await put('public/page.html', 'three')
  await put('public/new.html', 'new')
  const found = []
  for (const path of ['/page.html', '/new.html', '/.env']) found.push(await files.find(path))
  expect(found.map(one => one?.bytes.toString())).toEqual(['one', undefined, undefined])
  await rm(join(dir, 'page.html'))
  await rm(join(dir, 'new.html'))
})

describe('the start is refused for', () => {
  const expectRefused = async (make: (dir: string) => Promise<unknown>, says: RegExp) => {
    const dir = await mkdtemp(join(folder, 'refused-'))
    await make(dir)
    const opening = openApp({ surfaces: ['links'], public: { dir } }, { KERNEL_SANDBOX: 'false' })
    await expect(opening).rejects.toThrow(says)
  }

  test('no folder', () => expectRefused(dir => rm(dir, { recursive: true }), /There is no folder/))

  test('a link', () =>
    expectRefused(dir => symlink(join(folder, 'secret.txt'), join(dir, 'a.txt')), /is a link/))

  test('more than 5,000 files', () =>
    expectRefused(
      dir =>
        Promise.all(Array.from({ length: 5001 }, (_, n) => writeFile(join(dir, `${n}.txt`), ''))),
      /has 5001 files/,
    ))

  test('more than 64 MiB', () =>
    expectRefused(async dir => {
      await writeFile(join(dir, 'big.bin'), '')
      await truncate(join(dir, 'big.bin'), 64 * 2 ** 20 + 1)
    }, /more than 64 MiB/))

  test.each([
    'v1/a.js',
    'console',
    'client/a.tgz',
    'docs/index.html',
    'dev/x',
    'healthz',
    'account/x',
  ])('a file %s', path =>
    expectRefused(async dir => {
      await mkdir(dirname(join(dir, path)), { recursive: true })
      await writeFile(join(dir, path), '')
    }, /would have a path of the platform/),
  )
})
