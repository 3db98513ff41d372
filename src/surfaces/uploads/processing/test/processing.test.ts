/** What files are found to be, what is refused in them, and the derivatives of images. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extraNiceOf, low_extra } from '../../../../../test/child-pids.ts'
import { eventually } from '../../../../../test/world.ts'
import { sql } from '#dodeca/kernel'
import { openUploadWorld, type UploadWorld } from '../../test/upload-world.ts'
import { photo, picture, pixelBomb, pngText, zip } from './samples.ts'

let world: UploadWorld
beforeAll(async () => {
  world = await openUploadWorld()
})
afterAll(() => world.close())

async function verdict(bytes: Buffer, order = {}) {
  const { file } = await world.store(await world.member(), bytes, order)
  return [file.state, file.error_code, file.detected_type]
}

test('a text that begins with many comments is inspected at once', async () => {
  const text = Buffer.from('<!---->'.repeat(300))
  expect(await verdict(text)).toEqual(['available', null, 'text/plain'])
})

describe.concurrent('images', () => {
  test('get derivatives without metadata, turned as the camera was held', async () => {
    const who = await world.member()
    const order = { purpose: 'post_media', media_category: 'image', claimed_type: 'image/jpeg' }
    const { file, file_id, state } = await world.store(who, await photo(), order)
    expect([state, file.metadata]).toEqual(['available', { width: 800, height: 600, frames: 1 }])
    expect(file.derivatives).toMatchObject([
      { kind: 'preview', state: 'ready', width: 600, height: 800, media_type: 'image/webp' },
      { kind: 'sanitized', state: 'ready', width: 600, height: 800 },
      { kind: 'thumbnail', state: 'ready', width: 192, height: 256 },
    ])
    for (const { kind, size, width } of file.derivatives) {
      const url = await world.url(who, file_id, `?derivative=${kind}&disposition=inline`)
      expect(url.body).toMatchObject({ content_type: 'image/webp', size })
      const answer = await world.fetch(url.body.url)
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect(bytes).toHaveLength(size)
      const found = await sharp(bytes).metadata()
      expect([found.width, found.exif, found.orientation]).toEqual([width, undefined, undefined])
    }
    const none = await world.url(who, file_id, '?derivative=poster')
    expect(none.status).toBe(422)
  })

  test('are given to others than the owner without their metadata, never as they are', async () => {
    const who = await world.member()
    const operator = await world.member(who.tenant)
    await world.allow(operator, 'uploads.files.download_any')
    const order = { purpose: 'avatar', media_category: 'image' }
    const { file_id } = await world.store(who, await photo(60, 40), order)
    const types = await Promise.all(
      [who, operator].map(async one => (await world.url(one, file_id)).body.content_type),
    )
    expect(types).toEqual(['image/jpeg', 'image/webp'])
  })

  test('with too many pixels are refused by their header', async () => {
    const order = { purpose: 'avatar', media_category: 'image' }
    const bomb = pixelBomb(50_000)
    expect(bomb.byteLength < 40_000).toBe(true)
    expect(await verdict(bomb, order)).toEqual(['quarantined', 'image_too_large', 'image/png'])
  })

  test('that are cut short are corrupt', async () => {
    const whole = await picture(400, 400)
    const order = { purpose: 'avatar', media_category: 'image' }
    const cut = Buffer.concat([(await photo(500, 500)).subarray(0, 3000)])
    const { file } = await world.store(await world.member(), cut, order)
    expect([file.state, file.error_code]).toEqual(['quarantined', 'media_corrupt'])
    const states = file.derivatives.map((one: { state: string }) => one.state)
    expect(states).toEqual(['failed', 'failed'])
    expect((await verdict(whole, order))[0]).toBe('available')
  })

  test('that hide a second format are refused', async () => {
    const order = { purpose: 'avatar', media_category: 'image' }
    const image = await picture(64, 64)
    const hidden = zip([{ name: 'a', content: Buffer.from('x') }])
    for (const bytes of [
      Buffer.concat([image, hidden]),
      Buffer.concat([image, randomBytes(5000)]),
      Buffer.concat([image, randomBytes(200_000)]),
      Buffer.concat([image.subarray(0, 33), pngText('%PDF-1.4'), image.subarray(33)]),
    ]) {
      expect((await verdict(bytes, order)).slice(0, 2)).toEqual([
        'quarantined',
        'polyglot_detected',
      ])
    }
  })
})

describe.concurrent('the type', () => {
  test('is what the bytes say, and must be what was claimed', async () => {
    const image = await picture(10, 10)
    expect(await verdict(image)).toEqual(['available', null, 'image/png'])
    expect(await verdict(image, { claimed_type: 'image/jpeg' })).toEqual([
      'quarantined',
      'type_mismatch',
      'image/png',
    ])
    const noise = randomBytes(3000)
    expect(await verdict(noise, { claimed_type: 'video/mp4' })).toEqual([
      'quarantined',
      'type_mismatch',
      'application/octet-stream',
    ])
    const csv = Buffer.from('a,b\n1,2\n')
    const text = { purpose: 'document_ingest', media_category: 'text', claimed_type: 'text/csv' }
    expect(await verdict(csv, text)).toEqual(['available', null, 'text/csv'])
    const scan = { purpose: 'document_ingest', media_category: 'image' }
    expect(await verdict(image, scan)).toEqual(['available', null, 'image/png'])
    expect((await verdict(csv, { filename: 'invoice.pdf' })).slice(0, 2)).toEqual([
      'quarantined',
      'type_mismatch',
    ])
  })

  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'
  const doctype = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd"'
  test.each([
    ['alone', svg],
    ['a document type', `<?xml version="1.0"?>\n${doctype}>\n${svg}`],
    ['one of its own', `<!DOCTYPE x [<!-- ' --><!ENTITY a "]>"><?p ]>?> ]><!-- > -->${svg}`],
    ['a prefix', '<s:svg xmlns:s="http://www.w3.org/2000/svg"/>'],
    ['a second instruction', `<?xml version="1.0"?><?xml-stylesheet href="a>b"?>${svg}`],
    ['a byte order mark', `\u{feff}${svg}`],
    ['a long comment', `<!--${'x'.repeat(100_000)}-->${svg}`],
    ['UTF-16', Buffer.from(`\u{feff}<?xml version="1.0"?>${svg}`, 'utf16le')],
  ])('SVG is refused: %s', async (_name, text) => {
    const found = await verdict(Buffer.from(text))
    expect(found).toEqual(['quarantined', 'type_not_allowed', 'image/svg+xml'])
  })

  test('what begins with more comments than are read is not passed', async () => {
    const text = Buffer.from(`<!--${'x'.repeat(2_000_000)}-->${svg}`)
    expect((await verdict(text)).slice(0, 2)).toEqual(['quarantined', 'scan_limit_exceeded'])
  })

  const words = 'Größe,Préis\r\nMützen,10\r\n'
  test.each([
    ['utf-8', 'that begins like a program', Buffer.from(`MZ-4,${words}`)],
    ['utf-16le', 'in UTF-16', Buffer.from(`\u{feff}${words}`, 'utf16le')],
    ['utf-16be', 'in UTF-16', Buffer.from(`\u{feff}${words}`, 'utf16le').swap16()],
    ['windows-1252', 'in Latin-1', Buffer.from(`MZ-4,${words}`, 'latin1')],
  ])('a text is a text: %s, %s', async (charset, _name, bytes) => {
    const who = await world.member()
    const order = { media_category: 'text', claimed_type: 'text/csv', filename: 'a.csv' }
    const { file_id, file } = await world.store(who, bytes, order)
    expect([file.state, file.error_code, file.detected_type]).toEqual([
      'available',
      null,
      'text/csv',
    ])
    const answer = await world.fetch((await world.url(who, file_id)).body.url)
    expect(answer.headers.get('content-type')).toBe(`text/csv; charset=${charset}`)
  })

  test('of a program is that of a program, also if it is called a text', async () => {
    const who = await world.member()
    const program = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(62), Buffer.from('PE\0\0')])
    const { body } = await world.begin(who, program, { media_category: 'text' })
    expect(await world.send(body, program)).toEqual([422])
    // The first part is accepted: what makes it a program comes later.
    const late = Buffer.concat([Buffer.from('MZ'), Buffer.alloc(9000, 'a'), program])
    expect((await verdict(late)).slice(0, 2)).toEqual(['quarantined', 'type_not_allowed'])
  })

  test('is refused at the beginning where the purpose does not take it', async () => {
    const who = await world.member()
    for (const [order, code, status] of [
      [{ purpose: 'avatar', media_category: 'video' }, 'type_not_allowed', 422],
      [
        { purpose: 'avatar', media_category: 'image', claimed_type: 'text/html' },
        'type_not_allowed',
        422,
      ],
      [
        { purpose: 'avatar', media_category: 'image', expected_size: 6_000_000 },
        'content_too_large',
        413,
      ],
      [{ purpose: 'product_media', media_category: 'image' }, 'permission_denied', 403],
      [{ filename: 'invoice.pdf.exe' }, 'type_not_allowed', 422],
    ] as const) {
      const refused = await world.begin(who, Buffer.from('x'), order)
      expect([refused.status, refused.body.code]).toEqual([status, code])
    }
  })
})

test('a child that dies while it looks costs one attempt', async () => {
  const who = await world.member()
  const bytes = zip([{ name: 'noise', content: randomBytes(20_000_000) }])
  const { body } = await world.begin(who, bytes)
  await world.send(body, bytes)
  const parts = Array.from({ length: body.part_count }, (_, n) => ({ part_number: n + 1 }))
  await world.complete(who, body.id, { parts })
  const nice = new Set<number>()
  await eventually('an attempt whose child was killed', async () => {
    for (const pid of children()) {
      nice.add(extraNiceOf(pid))
      process.kill(pid, 'SIGKILL')
    }
    const { rows } = await crashed(body.id)
    return rows > 0
  })
  expect([...nice], 'it gives way to requests').toEqual([low_extra])
  const { file } = await eventually('the file is processed', async () => {
    const found = await world.call('GET', `/v1/uploads/${body.id}`, { token: who.token })
    return found.body.state !== 'uploaded' && found.body
  })
  expect([file.state, file.error_code]).toEqual(['available', null])
})

function children(): number[] {
  return execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter(line => line.includes('inspector.child'))
    .map(line => Number.parseInt(line, 10))
}

async function crashed(upload_id: string) {
  return await world.platform.kernel.db.one(
    Type.Object({ rows: Type.Integer() }),
    sql`
      select count(*)::int as rows from uploads.processing_attempts a
      join uploads.files f on f.tenant_id = a.tenant_id and f.id = a.file_id
      where f.upload_id = ${upload_id} and a.error_code = 'decoder_crashed'`,
  )
}
