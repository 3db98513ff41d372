/**
 * A purge that ends in the middle of its work: its next attempt leaves no table behind that keeps
 * bytes of a document.
 */
import { afterAll, expect, test } from 'vitest'
import { embedText } from '../embedding/hash-ngram.ts'
import { ended, openRetrievalWorld, type Reader } from './retrieval-world.ts'
import { filesWith } from './traces.ts'

const world = await openRetrievalWorld({ RETRIEVAL_ENGINE: 'lancedb' })
afterAll(() => world.close())

const text = (marker: string) => `The marker of this page is ${marker}.`

/** Numbers of its vector, as they lie in memory: an index compresses texts, and vectors it does not. */
function bytesOf(marker: string): Buffer {
  const vector = embedText(text(marker))
  return Buffer.from(vector.buffer, vector.byteOffset + 400, 256)
}

async function purge(ada: Reader, document_id: string): Promise<void> {
  const deleted = await ada.ask('DELETE', `/v1/documents/${document_id}`)
  expect(deleted.status).toBe(204)
  const id = /ingestion-jobs\/([^>]+)/.exec(deleted.headers.get('link') ?? '')?.[1] ?? ''
  expect(await ended(ada.job, id)).toMatchObject({ state: 'succeeded' })
}

test.for(['after_copy', 'after_move'])(
  'a purge that was interrupted %s erases the document, and the next one too',
  async point => {
    const ada = await world.reader()
    const id = await ada.collection()
    const [first, second] = [`zq${point.replace('_', '')}quetzal`, `zq${point.length}tapir`]
    const first_id = await ada.add(id, text(first))
    const second_id = await ada.add(id, text(second))
    const rule = { point: `retrieval.${point}`, match: ada.tenant.id, times: 1 } as const
    world.fault({ ...rule, action: 'throw' })
    await purge(ada, first_id)
    expect(await filesWith(world, bytesOf(first))).toEqual([])
    expect(await filesWith(world, bytesOf(second))).not.toEqual([])
    await purge(ada, second_id)
    expect(await filesWith(world, bytesOf(second))).toEqual([])
  },
)
