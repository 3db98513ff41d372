/**
 * A document that is deleted while it is ingested: whatever the stage, nothing of it becomes searchable,
 * its ledger ends, and no store keeps a byte of it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#dodeca/kernel'
import { holdAt } from '../../../../test/hold.ts'
import { embedText } from '../embedding/hash-ngram.ts'
import { ended, openRetrievalWorld, type RetrievalWorld } from './retrieval-world.ts'
import { filesWith, tablesWith } from './traces.ts'

const points = [
  'before_fetch',
  'before_verify',
  'before_extract',
  'before_chunk',
  'in_chunk',
  'before_embed',
  'before_upsert',
  'after_upsert',
  'before_activate',
]
const marker = (point: string) => `zq${point.replace('_', '')}quetzal`
/** One paragraph without a title: its chunk is searched as it stands. */
const text = (point: string) => `The marker of this page is ${marker(point)}.`
const kept = 'Another page, which stays.'
/** What it is fetched from. */
const site = createServer((request, response) => {
  response.setHeader('content-type', 'text/plain')
  response.end(text(request.url?.slice(1) ?? ''))
})

let world: RetrievalWorld
beforeAll(async () => {
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  const { port } = site.address() as AddressInfo
  world = await openRetrievalWorld({
    RETRIEVAL_ENGINE: 'lancedb',
    RETRIEVAL_ALLOWED_PRIVATE_CIDRS: `127.0.0.1:${port}`,
    RETRIEVAL_ALLOWED_PORTS: `${port}`,
    RETRIEVAL_FETCHES: '16',
  })
})
afterAll(async () => {
  await world.close()
  site.close()
})

const url = (point: string) => `http://127.0.0.1:${(site.address() as AddressInfo).port}/${point}`

describe.concurrent('deleted during its ingestion', () => {
  test.for(points)('at %s', async point => {
    const { db } = world.platform.kernel
    const ada = await world.reader()
    const id = await ada.collection()
    await ada.add(id, kept)
    const held = holdAt(world.platform.faults, `retrieval.${point}`, { match: ada.tenant.id })
    const { job_id, document_id } = await ada.does('POST', `/v1/collections/${id}/documents`, {
      source_uri: url(point),
    })
    await held.reached()
    const deleted = await ada.ask('DELETE', `/v1/documents/${document_id}`)
    expect(deleted.status).toBe(204)
    // The attempt goes on after the deletion: that is what this test is about.
    expect((await ada.job(job_id)).completed_at).toBeNull()
    held.release()
    const purge = /ingestion-jobs\/([^>]+)/.exec(deleted.headers.get('link') ?? '')?.[1] ?? ''
    expect(await ended(ada.job, job_id)).toMatchObject({ state: 'cancelled' })
    const receipt = await ended(ada.job, purge)
    expect(receipt).toMatchObject({ state: 'succeeded' })
    expect(receipt.result.projections.every((one: Line) => one.done_at !== null)).toBe(true)
    expect((await ada.search(id, marker(point))).map(hit => hit.text)).not.toContain(text(point))
    const served = await db.many(
      Type.Object({ type: Type.String() }),
      sql`
        select type from kernel.events
        where tenant_id = ${ada.tenant.id} and aggregate_id = ${document_id}
        order by position`,
    )
    expect(served.map(one => one.type)).not.toContain('document.indexed')
    deleted_at.push(point)
  })
})

const deleted_at: string[] = []

test('afterwards no table and no file keeps a text or a vector of them', async () => {
  expect([...new Set(deleted_at)].toSorted()).toEqual(points.toSorted())
  for (const point of points) {
    for (const mark of [marker(point), bytesOf(text(point))]) {
      expect(await tablesWith(world, mark)).toEqual([])
      expect(await filesWith(world, mark)).toEqual([])
    }
  }
  expect(await tablesWith(world, bytesOf(kept))).toEqual(['embeddings'])
  expect(await filesWith(world, bytesOf(kept))).not.toEqual([])
})

type Line = { done_at: string | null }

/** Numbers of its vector, as they lie in memory: an index compresses texts, and vectors it does not. */
function bytesOf(indexed: string): Buffer {
  const vector = embedText(indexed)
  return Buffer.from(vector.buffer, vector.byteOffset + 400, 256)
}
