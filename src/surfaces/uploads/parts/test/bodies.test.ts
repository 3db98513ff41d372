/** Bodies of parts on the wire: asked for, cut, stopped in the middle, and requests that make no sense. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../../../test/world.ts'
import { sendOddRequests } from '../../test/odd-requests.ts'
import { openUploadWorld, type UploadWorld } from '../../test/upload-world.ts'

let world: UploadWorld
beforeAll(async () => {
  world = await openUploadWorld({ UPLOADS_PART_IDLE_SECONDS: '5', UPLOADS_PARTS_AT_ONCE: '2' })
})
afterAll(() => world.close())

async function begun(bytes: Buffer) {
  const who = await world.member()
  const { body } = await world.begin(who, bytes)
  const { pathname, search } = new URL(body.upload_url)
  return { who, id: body.id as string, path: pathname + search, url: body.upload_url as string }
}

/** Sends text as it is; answers what came back until then. */
async function wire(head: string, ...bodies: Buffer[]) {
  const { port } = new URL(world.base_url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  let text = ''
  socket.on('data', chunk => (text += String(chunk)))
  socket.write(head, 'latin1')
  for (const body of bodies) socket.write(body)
  const until = (wanted: RegExp) =>
    eventually(`${wanted}`, async () => await Promise.resolve(wanted.test(text) && text))
  return { socket, until, text: () => text }
}

const request = (path: string, length: number, more = '') =>
  `PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n${more}\r\n`

describe.concurrent('a body', () => {
  test('is asked for by 100-continue only once it may be sent', async () => {
    const bytes = randomBytes(5000)
    const { path } = await begun(bytes)
    const expecting = 'Expect: 100-continue\r\n'
    for (const [bad, status] of [
      [request(path.replace(/sig=.{4}/, 'sig=AAAA'), 5000, expecting), 403],
      [request(path, 5001, expecting), 413],
    ] as const) {
      const refused = await wire(bad)
      expect(await refused.until(/\r\n\r\n/)).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
      refused.socket.destroy()
    }
    const asked = await wire(request(path, 5000, `${expecting}Connection: close\r\n`))
    await asked.until(/^HTTP\/1.1 100 /)
    asked.socket.write(bytes)
    await asked.until(/HTTP\/1.1 200 /)
  })

  test('that is cut leaves no part and no file', async () => {
    const bytes = randomBytes(100_000)
    const { path, who, id } = await begun(bytes)
    const cut = await wire(request(path, bytes.length), bytes.subarray(0, 50_000))
    const spool = join(world.data_dir, 'spool/tmp')
    cut.socket.destroy()
    const status = await world.call('GET', `/v1/uploads/${id}`, { token: who.token })
    expect(status.body.missing_parts).toEqual([[1, 1]])
    await eventually('the draft is removed', async () => (await readdir(spool)).length === 0)
  })

  test('that stops in the middle is given up', async () => {
    const bytes = randomBytes(100_000)
    const { path } = await begun(bytes)
    const stopped = await wire(request(path, bytes.length), bytes.subarray(0, 50_000))
    expect(await stopped.until(/request_timeout/)).toMatch(/^HTTP\/1.1 408/)
    stopped.socket.destroy()
  })

  test('of more parts at once than one upload may send is refused', async () => {
    const bytes = randomBytes(4_000_000)
    const { path } = await begun(bytes)
    const asking = request(path, bytes.length, 'Expect: 100-continue\r\n')
    const open = [await wire(asking), await wire(asking)]
    for (const one of open) await one.until(/^HTTP\/1.1 100 /)
    // Fast enough not to be given up.
    const feeding = setInterval(() => open.forEach(one => one.socket.write('x'.repeat(9000))), 100)
    const third = await world.fetch(world.base_url + path, {
      method: 'PUT',
      body: new Uint8Array(bytes),
    })
    expect(third.status).toBe(429)
    expect(third.headers.get('retry-after')).toBe('1')
    clearInterval(feeding)
    for (const { socket } of open) socket.destroy()
  })

  test('without a length is refused', async () => {
    const { path } = await begun(randomBytes(10))
    const chunked = await wire(
      `PUT ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n`,
    )
    expect(await chunked.until(/content_length_required/)).toMatch(/^HTTP\/1.1 400/)
    chunked.socket.destroy()
  })
})

test('a body whose first bytes arrive alone is judged by all of the first ones', async () => {
  const who = await world.member()
  const bytes = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(5000)])
  const order = { purpose: 'post_media', media_category: 'image', claimed_type: 'image/png' }
  const { body } = await world.begin(who, bytes, order)
  const { pathname, search } = new URL(body.upload_url)
  const closing = 'Connection: close\r\n'
  const head = Buffer.from(request(pathname + search, bytes.length, closing))
  const spool = join(world.data_dir, 'spool/tmp')
  await eventually('no other part is received', async () => (await readdir(spool)).length === 0)
  const sent = await wire(Buffer.concat([head, bytes.subarray(0, 3)]).toString('latin1'))
  await eventually('it is received', async () => (await readdir(spool)).length === 1)
  sent.socket.write(bytes.subarray(3))
  expect(await sent.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 200 /)
})

test('whatever is sent, no answer is a 5xx', async () => {
  expect(await sendOddRequests(world, 400)).toEqual([])
})
