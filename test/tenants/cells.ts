/** Two cells: the product twice, each with its own database and data folder, with the same keys. */
import { hash, randomBytes } from 'node:crypto'
import { composition } from '../../src/platform.ts'
import type { Composition } from '../../src/runtime/platform-parts.ts'
import { indexDeletion, peopleErasure, type Place } from '../../src/runtime/tenants/place.ts'
import { migrationSources } from '../../src/runtime/start.ts'
import { tenancyOf } from '../../src/runtime/tenants/tables.ts'
import { openProductWorld, type Member, type ProductWorld } from '../product-world.ts'
import { eventually, newKey } from '../world.ts'

export type Cell = ProductWorld & { readonly place: Place }

/**
 * `more`: settings of both, such as a bucket that they share. `composed`: the product with the types
 * of jobs that tests steer.
 */
export async function openCells(
  more: Record<string, string> = {},
  composed?: Composition,
): Promise<[Cell, Cell]> {
  const keys = {
    ...more,
    KERNEL_KEYRING: `k1:${randomBytes(32).toString('base64')}`,
    KERNEL_PEPPER: randomBytes(32).toString('base64'),
  }
  return await Promise.all([openCell(keys, composed), openCell(keys, composed)])
}

async function openCell(settings: Record<string, string>, composed?: Composition): Promise<Cell> {
  const world = await openProductWorld({ RETRIEVAL_ENGINE: 'lancedb', ...settings }, composed)
  const place: Place = {
    url: world.database_url,
    objects: world.platform.kernel.objects,
    schemas: migrationSources(composition).map(({ schema }) => schema),
    tenancy: tenancyOf(composition),
    interests: world.platform.events.interests,
    deleteIndexes: indexDeletion(world.platform.opened),
    erasePeople: peopleErasure(world.platform.kernel),
  }
  return { ...world, place }
}

/** Sends a request that must succeed. */
export async function ask(
  cell: Cell,
  { token }: Pick<Member, 'token'>,
  method: string,
  path: string,
  body?: object,
) {
  const key = newKey()
  const answer = await eventually(`${method} ${path} is answered`, async () => {
    const found = await cell.call(method, path, { token, key, ...(body && { body }) })
    return found.status !== 503 && found
  })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

/** Uploads a file and returns its id once it can be read. */
export async function upload(cell: Cell, who: Member, bytes: Uint8Array): Promise<string> {
  const checksum = `sha256:${hash('sha256', bytes, 'hex')}`
  const size = { expected_size: bytes.length, checksum }
  const order = { ...size, media_category: 'any', purpose: 'generic' }
  const { id, upload_url } = await ask(cell, who, 'POST', '/v1/uploads', order)
  const url = String(upload_url).replace('http://dodeca.test', cell.url)
  const sent = await fetch(url, { method: 'PUT', body: Buffer.from(bytes) })
  if (!sent.ok) throw new Error(await sent.text())
  const { file_id } = await ask(cell, who, 'POST', `/v1/uploads/${id}/complete`, {})
  return file_id as string
}

export async function download(cell: Cell, who: Member, file_id: string): Promise<Buffer | null> {
  const path = `/v1/files/${file_id}/download-url`
  const { status, body } = await cell.call('GET', path, { token: who.token })
  if (status !== 200) return null
  const found = await fetch(String(body.url).replace('http://dodeca.test', cell.url))
  return found.ok ? Buffer.from(await found.arrayBuffer()) : null
}
