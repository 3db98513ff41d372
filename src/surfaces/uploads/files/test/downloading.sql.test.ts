/** Who may download what, by which URLs, and which bytes come. */
import { randomBytes } from 'node:crypto'
import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { Type } from 'typebox'
import { newKey } from '../../../../../test/world.ts'
import type { Member } from '../../../../../test/product-world.ts'
import type { Inside, Purpose } from '../../face.ts'
import { openUploadWorld, sha256, type UploadWorld } from '../../test/upload-world.ts'

let world: UploadWorld
let face: Inside
const allowed = new Map<string, Set<string>>()
beforeAll(async () => {
  world = await openUploadWorld()
  face = world.platform.opened['uploads']?.face as Inside
  face.plugReaders('chat_attachment', async (_reader, principal, ids) => {
    const mine = allowed.get(principal.id) ?? new Set<string>()
    return new Set(await Promise.resolve(ids.filter(id => mine.has(id))))
  })
})
afterAll(() => world.close())

async function stored(bytes = randomBytes(1000), order = {}) {
  const who = await world.member()
  const file = await world.store(who, bytes, order)
  expect(file.state).toBe('available')
  return { who, bytes, ...file }
}

const codeOf = async (answer: Response) => {
  const { code } = (await answer.json()) as { code: string }
  return [answer.status, code]
}

describe.concurrent('ranges', () => {
  test('are served as RFC 9110 says', async () => {
    const bytes = Buffer.from('0123456789')
    const { who, file_id } = await stored(bytes)
    const { url } = (await world.url(who, file_id)).body
    const get = async (range?: string, more = {}) => {
      const headers = { ...(range ? { range } : {}), ...more }
      const answer = await world.fetch(url, { headers })
      return [answer.status, answer.headers.get('content-range'), await answer.text()]
    }
    expect(await get()).toEqual([200, null, '0123456789'])
    expect(await get('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await get('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await get('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await get('bytes=-30')).toEqual([206, 'bytes 0-9/10', '0123456789'])
    expect(await get('bytes=0-99')).toEqual([206, 'bytes 0-9/10', '0123456789'])
    for (const ignored of ['bytes=4-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=', 'bytes=a-b', '-'])
      expect(await get(ignored), ignored).toEqual([200, null, '0123456789'])
    for (const beyond of ['bytes=10-', 'bytes=99-100', 'bytes=-0'])
      expect((await get(beyond)).slice(0, 2), beyond).toEqual([416, 'bytes */10'])
    const etag = `"${sha256(bytes).slice(7)}"`
    expect(await get('bytes=2-4', { 'if-range': etag })).toEqual([206, 'bytes 2-4/10', '234'])
    expect(await get('bytes=2-4', { 'if-range': '"other"' })).toEqual([200, null, '0123456789'])
    expect((await get(undefined, { 'if-none-match': etag }))[0]).toBe(304)
    expect((await get('bytes=2-4', { 'if-match': `"x", ${etag}` }))[0]).toBe(206)
    expect((await get('bytes=2-4', { 'if-match': '"other"' }))[0]).toBe(412)
    const head = await world.fetch(url, { method: 'HEAD' })
    const length = head.headers.get('content-length')
    expect([head.status, length, await head.text()]).toEqual([200, '10', ''])
    expect(head.headers.get('repr-digest')).toBe(
      `sha-256=:${Buffer.from(sha256(bytes).slice(7), 'hex').toString('base64')}:`,
    )
  })
})

describe.concurrent('a URL', () => {
  test('ends with its time, with a change of anything in it, and with the file', async () => {
    const { who, file_id } = await stored()
    const { url, expires_at } = (await world.url(who, file_id, '?expires_in=30')).body
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(30_000)
    for (const other of [
      url.replace('original', 'thumbnail'),
      url.replace(/sig=.{4}/, 'sig=AAAA'),
      `${url}&disposition=inline`,
      url.replace(/exp=\d+/, 'exp=9999999999'),
    ]) {
      expect(await codeOf(await world.fetch(other))).toEqual([403, 'signed_url_invalid'])
    }
    expect((await world.fetch(url)).status).toBe(200)
    const gone = await world.call('DELETE', `/v1/files/${file_id}`, { token: who.token })
    expect(gone.status).toBe(204)
    expect(await codeOf(await world.fetch(url))).toEqual([404, 'file_not_found'])
    expect((await world.url(who, file_id)).status).toBe(404)
    const again = await world.call('DELETE', `/v1/files/${file_id}`, { token: who.token })
    expect(again.status).toBe(204)
  })

  test('names the file as any client can read it, whatever the name is', async () => {
    for (const [filename, wanted] of [
      ['../../etc/passwd', 'passwd'],
      ['a\u202Egpj.bin', 'gpj.bin'],
      ['nul.txt', '_nul.txt'],
      ['"quotes"\r\nset-cookie: x', 'set-cookie'],
      ['\u{1F600}'.repeat(100), 'F0%9F%98%80'],
    ] as const) {
      const { who, file_id } = await stored(randomBytes(10), { filename })
      const answer = await world.fetch((await world.url(who, file_id)).body.url)
      expect(answer.status).toBe(200)
      const header = answer.headers.get('content-disposition') ?? ''
      expect(header).toMatch(/^attachment; filename/)
      expect(header).toContain(wanted)
      expect(header).not.toMatch(/[\r\n/\u202E]/)
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    const who = await world.member()
    const refused = await world.begin(who, randomBytes(10), { filename: 'a\0b' })
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_character'])
  })

  test('shows pictures and plain text inside a page, and pages never', async () => {
    const html = Buffer.from('<!doctype html><script>alert(1)</script>')
    const page = await stored(html, { filename: 'page.html' })
    expect(page.file.detected_type).toBe('text/html')
    const inline = async ({ who, file_id }: { who: Member; file_id: string }) =>
      await world.fetch((await world.url(who, file_id, '?disposition=inline')).body.url)
    const served = await inline(page)
    expect(served.headers.get('content-type')).toBe('application/octet-stream')
    expect(served.headers.get('content-disposition')).toMatch(/^attachment/)
    const text = await inline(await stored(Buffer.from('hello'), { filename: 'a.txt' }))
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(text.headers.get('content-disposition')).toMatch(/^inline/)
  })
})

describe.concurrent('reading', () => {
  test('belongs to the owner; others of the tenant and other tenants get the same 404', async () => {
    const { who, file_id, upload_id } = await stored()
    const colleague = await world.member(who.tenant)
    const stranger = await world.member()
    for (const other of [colleague, stranger]) {
      for (const [method, path, code] of [
        ['GET', `/v1/files/${file_id}`, 'file_not_found'],
        ['GET', `/v1/files/${file_id}/download-url`, 'file_not_found'],
        ['DELETE', `/v1/files/${file_id}`, 'file_not_found'],
        ['GET', `/v1/uploads/${upload_id}`, 'upload_not_found'],
        ['DELETE', `/v1/uploads/${upload_id}`, 'upload_not_found'],
        ['POST', `/v1/uploads/${upload_id}/complete`, 'upload_not_found'],
        ['POST', `/v1/uploads/${upload_id}/parts`, 'upload_not_found'],
      ] as const) {
        const body = method === 'POST' ? { body: {} } : {}
        const answer = await world.call(method, path, { token: other.token, ...body })
        expect([answer.status, answer.body.code], path).toEqual([404, code])
      }
    }
    const many = await world.call('POST', '/v1/files/download-urls', {
      token: stranger.token,
      body: { files: [{ file_id }] },
    })
    expect(many.body.data).toEqual([
      { file_id, url: null, expires_at: null, code: 'file_not_found' },
    ])
  })

  test('is given by a permission in the same tenant only, and ends with it', async () => {
    const { who, file_id } = await stored()
    const operator = await world.member(who.tenant)
    const admin = await world.member(who.tenant)
    await world.give(admin, 'tenant_admin')
    await world.give(operator, 'tenant_admin')
    expect((await world.url(operator, file_id)).status).toBe(200)
    const elsewhere = await world.member()
    await world.allow(elsewhere, 'uploads.files.download_any')
    expect((await world.url(elsewhere, file_id)).status).toBe(404)
    const path = `/v1/accounts/${operator.id}/roles/tenant_admin`
    const revoked = await world.call('DELETE', path, { token: admin.token })
    expect(revoked.status, revoked.text).toBe(204)
    expect((await world.url(operator, file_id)).status).toBe(404)
  })

  test('is what the surface behind the purpose says now', async () => {
    const { who, file_id } = await stored(randomBytes(100), { purpose: 'chat_attachment' })
    const friend = await world.member(who.tenant)
    expect((await world.url(friend, file_id)).status).toBe(404)
    allowed.set(friend.id, new Set([file_id]))
    expect((await world.url(friend, file_id)).status).toBe(200)
    const many = await world.call('POST', '/v1/files/download-urls', {
      token: friend.token,
      body: { files: [{ file_id }] },
    })
    expect(many.body.data[0]).toMatchObject({ file_id, code: null })
    allowed.delete(friend.id)
    expect((await world.url(friend, file_id)).status).toBe(404)
  })

  test('lists own files, newest first, page by page', async () => {
    const who = await world.member()
    const made: string[] = []
    for (const purpose of ['generic', 'chat_attachment', 'generic'])
      made.unshift((await world.store(who, randomBytes(10), { purpose })).file_id)
    const list = async (query: string) =>
      (await world.call('GET', `/v1/files${query}`, { token: who.token })).body
    const first = await list('?limit=2')
    expect(first.data.map((one: { id: string }) => one.id)).toEqual(made.slice(0, 2))
    const rest = await list(`?limit=2&cursor=${first.next_cursor}`)
    expect(rest.data.map((one: { id: string }) => one.id)).toEqual(made.slice(2))
    const chat = await list('?purpose=chat_attachment&state=available')
    expect(chat.data).toHaveLength(1)
  })
})

describe.concurrent('an object that was changed behind our back', () => {
  const Key = Type.Object({ storage_key: Type.String() })
  const pathOf = async (file_id: string) => {
    const { storage_key } = await world.platform.kernel.db.one(
      Key,
      sql`select storage_key from uploads.files where id = ${file_id}`,
    )
    return join(world.data_dir, 'objects', storage_key)
  }

  test('is never served: the file goes to quarantine, also where its time was set back', async () => {
    const { who, file_id, bytes } = await stored()
    const { url } = (await world.url(who, file_id)).body
    const path = await pathOf(file_id)
    const then = new Date('2026-01-01')
    await writeFile(path, Buffer.alloc(bytes.length, 'x'))
    await utimes(path, then, then)
    expect(await codeOf(await world.fetch(url))).toEqual([404, 'file_not_found'])
    const after = await world.file(who, file_id)
    expect(after.body).toMatchObject({ state: 'quarantined', error_code: 'object_altered' })
    const refused = await world.url(who, file_id)
    expect([refused.status, refused.body.code]).toEqual([409, 'file_not_available'])
    expect(refused.body).toMatchObject({ file_state: 'quarantined', error_code: 'object_altered' })
  })

  test('with the same bytes, as a restored backup has them, is served as before', async () => {
    const { who, file_id, bytes } = await stored()
    const path = await pathOf(file_id)
    const copy = await readFile(path)
    await writeFile(path, copy)
    const answer = await world.fetch((await world.url(who, file_id)).body.url)
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
    expect((await world.file(who, file_id)).body.state).toBe('available')
  })
})

describe.concurrent('other surfaces', () => {
  test('get a file only if it is the principal’s own, of their purpose, and available', async () => {
    const { who, file_id } = await stored(randomBytes(10), { purpose: 'chat_attachment' })
    const principal = { id: who.id, tenant_id: who.tenant.id }
    const { db } = world.platform.kernel
    const require = (owner: typeof principal, purposes: readonly Purpose[]) =>
      db.tx(tx => face.requireAvailable(tx, owner, file_id, purposes))
    const found = await require(principal, ['chat_attachment'])
    expect(found).toMatchObject({ id: file_id, size: 10 })
    for (const [other, purposes] of [
      [principal, ['avatar']],
      [{ ...principal, id: file_id }, ['chat_attachment']],
      [{ ...principal, tenant_id: file_id }, ['chat_attachment']],
    ] as const) {
      await expect(require(other, purposes)).rejects.toMatchObject({ code: 'file_not_found' })
    }
  })

  test('jobs take an own file as their input, and no other', async () => {
    const { who, file_id } = await stored(randomBytes(10), { purpose: 'job_input' })
    const attachment = await stored(randomBytes(10), { purpose: 'chat_attachment' })
    const other = await world.member(who.tenant)
    for (const one of [who, other, attachment.who]) await world.allow(one, 'jobs.jobs.submit:*')
    const submit = async (by: Member, input_ref: string) => {
      const { status, body } = await world.call('POST', '/v1/jobs', {
        token: by.token,
        key: newKey(),
        body: { type: 'demo.count', input_ref },
      })
      return [status, body.code]
    }
    expect(await submit(who, file_id)).toEqual([202, undefined])
    expect(await submit(other, file_id)).toEqual([422, 'input_not_available'])
    expect(await submit(attachment.who, attachment.file_id)).toEqual([422, 'input_not_available'])
    await world.allow(other, 'uploads.files.download_any')
    expect(await submit(other, file_id)).toEqual([202, undefined])
  })

  test('a worker gets the URL of an input only while the owner of the job may read it', async () => {
    const { who, file_id } = await stored(randomBytes(10), { purpose: 'job_input' })
    const other = await world.member(who.tenant)
    const { db } = world.platform.kernel
    const urlFor = (principal_id: string | null) =>
      face.inputUrl(db, { tenant_id: who.tenant.id, principal_id, session_id: null }, file_id)
    expect(await urlFor(who.id)).toContain(`/_objects/d/${file_id}/original?`)
    expect([await urlFor(other.id), await urlFor(null)]).toEqual([undefined, undefined])
    const admin = await world.member(who.tenant)
    for (const one of [admin, other]) await world.give(one, 'tenant_admin')
    expect(await urlFor(other.id)).toContain(file_id)
    const role = `/v1/accounts/${other.id}/roles/tenant_admin`
    await world.call('DELETE', role, { token: admin.token })
    expect(await urlFor(other.id)).toBeUndefined()
    await world.call('DELETE', `/v1/files/${file_id}`, { token: who.token })
    expect(await urlFor(who.id)).toBeUndefined()
  })
})
