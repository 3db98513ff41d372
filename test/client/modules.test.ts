/** The modules for pages, as every process serves them to every origin: bytes, tags, sizes, rates. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { rawBytes } from './raw-bytes.ts'
import { openProductWorld } from '../product-world.ts'

const world = await openProductWorld()
const other = await openProductWorld({
  KERNEL_RATE_FACTOR: '1',
  KERNEL_RATE_READ_PER_MINUTE: '20',
  KERNEL_THROTTLE_LOOPBACK: 'true',
})
afterAll(async () => {
  await world.close()
  await other.close()
})

const get = (url: string, name: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/client/v1/${name}.js`, { headers: { origin: 'https://shop.example', ...headers } })

describe.each([
  ['client', 15_000],
  ['elements', 30_000],
])('%s.js', (name, bytes_max) => {
  test('may be loaded by pages of every origin, and is asked for again', async () => {
    const answer = await get(world.url, name)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
    })
    const etag = answer.headers.get('etag') ?? ''
    const again = await get(world.url, name, { 'if-none-match': etag })
    expect([again.status, again.headers.get('access-control-allow-origin')]).toEqual([304, '*'])
    expect((await fetch(answer.url, { method: 'POST' })).status).toBe(405)
  })

  test('is the same in each process, and small', async () => {
    const path = `/client/v1/${name}.js`
    const [here, there] = [await rawBytes(world.url + path), await rawBytes(other.url + path)]
    expect(here.etag).toBe(there.etag)
    expect(here.body.equals(there.body)).toBe(true)
    expect(here.body.length).toBeLessThan(bytes_max)
    const plain = await (await get(world.url, name, { 'accept-encoding': 'identity' })).text()
    expect(brotliDecompressSync(here.body).toString()).toBe(plain)
  })
})

test('a server may import the elements: they do nothing there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-elements-'))
  const file = join(folder, 'elements.mjs')
  await writeFile(file, await (await get(world.url, 'elements')).text())
  const { connect } = (await import(pathToFileURL(file).href)) as {
    connect(options: object): () => void
  }
  const disconnect = connect({ base_url: world.url })
  expect(() => disconnect()).not.toThrow()
  expect(() => connect({ session: { session_id: 'a' } })).toThrow('`session` is not a client')
  await rm(folder, { recursive: true })
})

test('have the rate of what anybody may read', async () => {
  const answers = []
  for (const name of ['client', 'elements']) {
    for (let n = 0; n < 15; n++) answers.push(await get(other.url, name))
  }
  const refused = answers.filter(one => one.status === 429)
  expect(answers.length - refused.length).toBeLessThanOrEqual(20)
  expect(refused.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/)
})
