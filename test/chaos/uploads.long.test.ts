/**
 * SIGKILL at every step of an upload, on both engines: whatever dies, a repeated call finds one file, no
 * file is available with wrong bytes, and nothing is left that no row names.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openObjects } from '../../src/kernel/objects/open-objects.ts'
import type { Objects } from '../../src/kernel/objects/objects.ts'
import { picture } from '../../src/surfaces/uploads/processing/test/samples.ts'
import {
  openUploadWorld,
  sha256,
  type UploadWorld,
} from '../../src/surfaces/uploads/test/upload-world.ts'
import { killedAt } from '../crash.ts'
import { startProcess } from '../process.ts'
import type { Member } from '../product-world.ts'
import { startSwift, swiftIsInstalled, type Swift } from '../swift.ts'
import { call, eventually, type Answer } from '../world.ts'

const MiB = 1024 * 1024
const of_requests = [
  'objects.after_part_draft',
  'uploads.after_part_bytes',
  'uploads.after_completion_lease',
  'objects.after_complete',
  'uploads.before_file_row',
  'uploads.after_file_row',
]
const of_processing = [
  'objects.after_draft',
  'uploads.after_derivative',
  'kernel.after_attempt',
  'kernel.before_settled',
]
const of_local_only = [
  'objects.after_part_draft',
  'uploads.after_part_bytes',
  'objects.after_complete',
  'objects.after_draft',
]

const all = [...of_requests, ...of_processing]
const full = inject('chaos') === 'full'
const short = ['objects.after_complete', 'uploads.after_file_row', 'uploads.after_derivative']

describe('with the local engine', () => {
  crashes('local', full ? all : short)
})

describe.skipIf(!swiftIsInstalled)('with the S3 engine', () => {
  crashes(
    's3',
    full ? all.filter(point => !of_local_only.includes(point)) : ['uploads.after_file_row'],
  )
})

function crashes(engine: 'local' | 's3', points: readonly string[]): void {
  let world: UploadWorld
  let swift: Swift | undefined
  const made: Made[] = []

  beforeAll(async () => {
    swift = engine === 's3' ? await startSwift() : undefined
    world = await openUploadWorld({
      // What this process does not work on, those that are killed and the last one do.
      ROLES: 'api',
      UPLOADS_COMPLETION_LEASE_SECONDS: '1',
      UPLOADS_PROCESSING_LEASE_SECONDS: '8',
      UPLOADS_ORPHAN_SECONDS: '1',
      IDENTITY_ACCESS_TTL_SECONDS: '3600',
      ...(await swift?.bucket('crashes')),
    })
  })
  afterAll(async () => {
    await world.close()
    await swift?.close()
  })

  test.for(points)('killed at %s', async point => {
    const who = await world.member()
    // Several parts, so that completing copies; an image where a derivative is waited for.
    const image = of_processing.includes(point)
    const bytes = image ? await picture(300, 200) : randomBytes(6 * MiB)
    const order = image ? { purpose: 'avatar', media_category: 'image' } : {}
    const begun = (await world.begin(who, bytes, order)).body
    const sent = async (url: string) => {
      await send(url, begun, bytes)
      await complete(url, who, begun)
    }
    await killedAt({ environment: { ...world.environment, PORT: '0' } }, point, sent, 1, 'product')
    const file_id = await repaired(world, who, begun, bytes)
    const read = await world.call('GET', `/v1/uploads/${begun.id}`, { token: who.token })
    expect(read.body.file.id).toBe(file_id)
    made.push({ who, upload_id: begun.id, bytes })
  })

  test(
    'afterwards every file is available with its bytes, and nothing else is stored',
    { timeout: 240_000 },
    async () => {
      const healer = await startProcess(
        { ...world.environment, PORT: '0', ROLES: 'api,worker' },
        'product',
      )
      try {
        for (const { who, upload_id, bytes } of made) {
          const file_id = await available(world, who, upload_id)
          const { url } = (await world.url(who, file_id)).body
          const answer = await world.fetch(url, { redirect: 'follow' })
          expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(bytes))
        }
        const objects = openObjects(world.platform.kernel.settings, world.data_dir, () => undefined)
        await eventually(
          'nothing is left over',
          async () => (await leftOvers(world, made, objects)) === 0,
        )
      } finally {
        await healer.kill()
      }
    },
  )
}

type Begun = Parameters<UploadWorld['send']>[0]

async function send(url: string, begun: Begun, bytes: Buffer): Promise<void> {
  const parts = begun.part_urls ?? [{ part_number: 1, url: begun.upload_url ?? '' }]
  for (const part of parts) {
    const from = (part.part_number - 1) * begun.part_size
    const body = new Uint8Array(bytes.subarray(from, from + begun.part_size))
    const to = part.url.replace('http://dodeca.test', url)
    await (await fetch(to, { method: 'PUT', body })).arrayBuffer()
  }
}

async function complete(url: string, who: Member, begun: Begun): Promise<Answer> {
  const parts = Array.from({ length: begun.part_count }, (_, n) => ({ part_number: n + 1 }))
  return await call(url, 'POST', `/v1/uploads/${begun.id}/complete`, {
    token: who.token,
    body: { parts },
  })
}

async function available(world: UploadWorld, who: Member, upload_id: string): Promise<string> {
  return await eventually(
    'the file is available',
    async () => {
      const { body } = await world.call('GET', `/v1/uploads/${upload_id}`, { token: who.token })
      return body.state === 'available' && (body.file.id as string)
    },
    200_000,
  )
}

type Made = { readonly who: Member; readonly upload_id: string; readonly bytes: Buffer }

async function leftOvers(
  world: UploadWorld,
  made: readonly Made[],
  objects: Objects,
): Promise<number> {
  const names = new Set<string>()
  for (const { who, upload_id } of made) {
    const { body } = await world.call('GET', `/v1/uploads/${upload_id}`, { token: who.token })
    names.add(body.object_key)
    for (const _ of body.file.derivatives) names.add(`${upload_id} ${names.size}`)
  }
  let stored = 0
  for await (const _ of objects.list('o')) stored++
  for await (const _ of objects.multipart.list()) stored++
  return stored - names.size
}

/** A repeated call is accepted, and the upload names its file. */
async function repaired(
  world: UploadWorld,
  who: Member,
  begun: Begun,
  bytes: Buffer,
): Promise<string> {
  const again = await eventually('a repeated call is accepted', async () => {
    await send(world.base_url, begun, bytes)
    const answer = await complete(world.base_url, who, begun)
    return answer.status === 202 && answer.body.file_id !== null && answer
  })
  return again.body.file_id as string
}
