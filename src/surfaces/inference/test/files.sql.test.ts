/** Files of uploads in calls: whose they are, when they are read, and how much of them there may be. */
import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { newId, sql } from '#dodeca/kernel'
import { beginNarrow } from '../../../../test/narrow.ts'
import { eventually, newKey } from '../../../../test/world.ts'
import { callerOf, openaiAt, png } from '../gateway/test/sdk.ts'
import { readContent } from '../operations/contents.ts'
import { namedFile, referFiles } from '../operations/files.ts'
import type { Kernel } from '../settings.ts'
import { code, openInferenceWorld, type InferenceWorld, type Someone } from './inference-world.ts'

let world: InferenceWorld
beforeAll(async () => {
  world = await openInferenceWorld({
    INFERENCE_QUOTA_PRINCIPAL_TOKENS_PER_MINUTE: '100000000',
    INFERENCE_QUOTA_TENANT_TOKENS_PER_MINUTE: '100000000',
    INFERENCE_LEASE_SECONDS: '2',
  })
})
afterAll(() => world.close())

const image = Buffer.from(png, 'base64')
const here = (url: string) => url.replace('http://dodeca.test', world.url)

/** The id of a file whose checks have ended. */
async function store(one: Pick<Someone, 'ask'>, bytes: Buffer, order = {}): Promise<string> {
  const usual = { purpose: 'generic', media_category: 'any', expected_size: bytes.length }
  const checksum = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const made = await one.ask('POST', '/v1/uploads', { ...usual, checksum, ...order })
  expect(made.status, made.text).toBe(201)
  const { id, upload_url, part_urls, part_size } = made.body
  const parts: { part_number: number; url: string }[] = part_urls ?? [
    { part_number: 1, url: upload_url },
  ]
  for (const { part_number, url } of parts) {
    const from = (part_number - 1) * part_size
    const body = new Uint8Array(bytes.subarray(from, from + part_size))
    expect((await fetch(here(url), { method: 'PUT', body })).ok).toBe(true)
  }
  const named = parts.map(({ part_number }) => ({ part_number }))
  const done = await one.ask('POST', `/v1/uploads/${id}/complete`, { parts: named })
  expect(done.status, done.text).toBeLessThan(300)
  return await eventually('the file is checked', async () => {
    const { body } = await one.ask('GET', `/v1/uploads/${id}`)
    const file = await one.ask('GET', `/v1/files/${body.file?.id}`)
    return file.status === 200 && file.body.state !== 'uploaded' && (body.file.id as string)
  })
}

const asking = (...parts: object[]) => ({
  model: 'default',
  input: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, ...parts] }],
})
const part = (file_id: string, type = 'image') => ({ type, file_id })

describe('a file of uploads', () => {
  test('is read for the call, in each form; stored are its id and its hash', async () => {
    const one = await world.someone()
    const file_id = await store(one, image)
    const sent = { type: 'input_image', image_url: `data:image/png;base64,${png}` }
    const made = await one.ask('POST', '/v1/inferences', asking(part(file_id)))
    expect(made.status, made.text).toBe(200)
    const [seen] = await world.journal(made.body.id)
    expect(seen.body.input[0].content[1]).toMatchObject(sent)
    const next = { model: 'default', input: 'And its colour?', previous_id: made.body.id }
    const continued = await one.ask('POST', '/v1/inferences', next)
    const [again] = await world.journal(continued.body.id)
    expect(again.body.input[0].content[1]).toMatchObject(sent)
    const { input_ref } = await world.platform.kernel.db.one(
      Type.Object({ input_ref: Type.String() }),
      sql`select input_ref from inference.inference_operations
        where tenant_id = ${one.tenant.id} and id = ${made.body.id}`,
    )
    const { db, keys } = world.platform.kernel
    const kept = await readContent(db, { keys }, one.tenant.id, input_ref)
    expect(kept).toContain(createHash('sha256').update(image).digest('hex'))
    expect(kept).not.toContain(png)
  })

  test('is named by its id in Chat Completions, Responses and Messages', async () => {
    const caller = await callerOf(world)
    const client = openaiAt(world, caller)
    const file_id = await store(caller, image)
    const image_part = { type: 'input_image' as const, file_id, detail: 'auto' as const }
    const bodies = [
      ['/v1/chat/completions', { role: 'user', content: [{ type: 'file', file: { file_id } }] }],
      [
        '/v1/messages',
        { role: 'user', content: [{ type: 'image', source: { type: 'file', file_id } }] },
      ],
    ] as const
    for (const [path, message] of bodies) {
      const body = { model: 'default', max_tokens: 50, messages: [message] }
      const made = await caller.ask('POST', path, body)
      expect(made.status, made.text).toBe(200)
      const [seen] = await world.journal(made.body.id)
      expect(seen.body.input[0].content[0]).toMatchObject({ type: 'input_image' })
    }
    // A key has the files that it uploaded itself.
    const input = [{ role: 'user' as const, content: [image_part] }]
    await expect(client.responses.create({ model: 'default', input })).rejects.toThrow('404')
    const made = await caller.ask('POST', '/v1/responses', { model: 'default', input })
    expect(made.status, made.text).toBe(200)
  })

  test('of another person, another tenant or no one is not found, and nothing is sent', async () => {
    const owner = await world.someone()
    const file_id = await store(owner, image)
    const colleague = await world.someone(owner.tenant)
    const stranger = await world.someone()
    for (const [who, id] of [
      [colleague, file_id],
      [stranger, file_id],
      [owner, newId()],
    ] as const) {
      const refused = await who.ask('POST', '/v1/inferences', asking(part(id)))
      expect(code(refused)).toEqual([404, 'file_not_found'])
    }
    const avatar = await store(owner, image, { purpose: 'avatar', media_category: 'image' })
    const wrong = await owner.ask('POST', '/v1/inferences', asking(part(avatar)))
    expect(code(wrong)).toEqual([404, 'file_not_found'])
    expect(await world.held(owner.tenant.id)).toBe(0)
  })

  test('is not read for a session whose scope has no uploads', async () => {
    const one = await world.someone()
    const body = asking(part(await store(one, image)))
    const within = async (...scope: string[]) => {
      const { token } = await beginNarrow(world.platform, one, { scope })
      return await world.call('POST', '/v1/inferences', { token, body })
    }
    expect(code(await within('inference.write'))).toEqual([403, 'insufficient_scope'])
    expect((await within('inference.write', 'uploads.read')).status).toBe(200)
  })

  test('that was deleted between two runs ends the call, and nothing is sent', async () => {
    const one = await world.someone()
    const file_id = await store(one, image)
    const key = newKey()
    const said = `Fails. ${newId()}`
    const fault = { action: 'status', status: 500, times: 3, match: { prompt_contains: said } }
    await world.fault(fault)
    const body = asking({ type: 'text', text: said }, part(file_id))
    const failed = await one.ask('POST', '/v1/inferences', body, { key })
    expect(code(failed)).toEqual([503, 'service_unavailable'])
    const sent = (await world.journal()).length
    expect((await one.ask('DELETE', `/v1/files/${file_id}`)).status).toBeLessThan(300)
    for (const time of [1, 2]) {
      const gone = await one.ask('POST', '/v1/inferences', body, { key })
      expect(code(gone), `${time}`).toEqual([404, 'file_not_found'])
    }
    expect(await world.journal()).toHaveLength(sent)
    expect(await world.held(one.tenant.id)).toBe(0)
  })

  test('that was deleted while its job waited ends the job, and nothing is sent', async () => {
    const one = await world.someone()
    await world.allow(one, 'jobs.types.pause')
    const file_id = await store(one, image)
    const type = '/v1/job-types/inference.run'
    const paused = await one.ask('POST', `${type}/pause`, { reason: 'a test' })
    expect(paused.status, paused.text).toBeLessThan(300)
    const made = await one.ask('POST', '/v1/inference-jobs', asking(part(file_id)), {
      key: newKey(),
    })
    expect(made.status, made.text).toBe(202)
    expect((await one.ask('DELETE', `/v1/files/${file_id}`)).status).toBeLessThan(300)
    expect((await one.ask('POST', `${type}/resume`)).status).toBeLessThan(300)
    const { body } = await eventually('the job has ended', async () => {
      const found = await one.ask('GET', `/v1/inference-jobs/${made.body.id}`)
      return found.body.state === 'failed' && found
    })
    expect(body.error.code).toBe('file_not_found')
    expect(await world.journal(made.body.id)).toEqual([])
  })

  test('that is HTML is no PDF', async () => {
    const one = await world.someone()
    const html = Buffer.from('<!doctype html><html><script>alert(1)</script></html>')
    const text = await store(one, Buffer.from('Only text.'))
    const refused = await one.ask('POST', '/v1/inferences', asking(part(text, 'document')))
    expect(code(refused)).toEqual([422, 'validation_failed'])
    const page = await store(one, html, { claimed_type: 'application/pdf', filename: 'a.pdf' })
    const hidden = await one.ask('POST', '/v1/inferences', asking(part(page, 'document')))
    expect(hidden.status).toBeGreaterThanOrEqual(400)
    expect(['file_not_found', 'validation_failed']).toContain(hidden.body.code)
  })

  test('has at most 20 MiB, a conversation 32 MiB and 8 files', async () => {
    const one = await world.someone()
    const large = (mib: number) => pdfOf(mib * 1024 * 1024 - 4096)
    const [a, b, c] = [
      await store(one, large(17)),
      await store(one, large(16)),
      await store(one, large(21)),
    ]
    const refused = async (...ids: string[]) => {
      const parts = ids.map(id => part(id, 'document'))
      return code(await one.ask('POST', '/v1/inferences', asking(...parts)))
    }
    expect(await refused(a, b)).toEqual([422, 'validation_failed'])
    expect(await refused(c)).toEqual([422, 'validation_failed'])
    const small = await store(one, image)
    expect(await refused(...Array.from({ length: 9 }, () => small))).toEqual([
      422,
      'validation_failed',
    ])
    expect(await world.held(one.tenant.id)).toBe(0)
  })
})

/** A document whose one stream is random. */
function pdfOf(bytes: number): Buffer {
  const head =
    '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n'
  const stream = `4 0 obj<</Length ${bytes}>>stream\n`
  const tail = '\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n'
  return Buffer.concat([Buffer.from(head + stream), Buffer.alloc(bytes, 'a'), Buffer.from(tail)])
}

describe('large bodies', () => {
  test('take their bytes of the memory of the process before they are read', async () => {
    const one = await world.someone()
    const { hostname, port } = new URL(world.url)
    const sockets: Socket[] = []
    const announce = async () => {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      socket.write(
        `POST /v1/responses HTTP/1.1\r\nhost: dodeca.test\r\nauthorization: Bearer ${one.token}\r\n` +
          'content-type: application/json\r\ncontent-length: 8388608\r\n' +
          'expect: 100-continue\r\n\r\n',
      )
      const [answer] = await new Promise<[Buffer]>(resolve => {
        socket.once('data', data => resolve([data]))
      })
      return answer.toString().slice(9, 12)
    }
    for (let at = 0; at < 8; at++) expect(await announce()).toBe('100')
    expect(await announce()).toBe('503')
    const data = `iVBORw0KGgo${'A'.repeat(1_100_001)}`
    const big = {
      ...asking({ type: 'image', media_type: 'image/png', data }),
      parameters: { store: false },
    }
    const refused = await one.ask('POST', '/v1/inferences', big)
    expect(code(refused)).toEqual([503, 'capacity_exceeded'])
    expect((await one.infer('Small.')).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await eventually('the memory is free', async () => {
      const { status } = await one.ask('POST', '/v1/inferences', big)
      return status === 200
    })
  })
})

test('all counters are the sums of the usage rows', async () => {
  expect(await world.faults()).toEqual([])
})

test('without uploads a file cannot be named', async () => {
  const { kernel } = world.platform
  const asked = { tenant_id: newId(), actor_id: newId() }
  const input = [{ type: 'message', role: 'user', parts: [namedFile('image', newId())] }] as const
  const refused = referFiles(
    { kernel: kernel as unknown as Kernel, files: undefined },
    asked,
    input,
  )
  await expect(refused).rejects.toMatchObject({ code: 'model_capability_unsupported' })
})
