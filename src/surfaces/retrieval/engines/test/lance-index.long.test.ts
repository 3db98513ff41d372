/**
 * The engine on the disk keeps the contract; its processes may die; a purge leaves no byte of a vector.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@lancedb/lancedb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { childPids, extraNiceOf, low_extra } from '../../../../../test/child-pids.ts'
import { leaseFor, type RetrievalIndex } from '../index.ts'
import { openLanceIndex } from '../lance/open-lance-index.ts'
import { describeIndex } from './contract.ts'
import { normalized } from '../../embedding/hash-ngram.ts'
import { clusteredVectors, rowOf } from './rows.ts'

let folder: string
let index: RetrievalIndex
const options = () => ({
  storage: { uri: folder, options: {} },
  memory_bytes: 2 * 1024 ** 3,
  read_seconds: 30,
  idle_seconds: 60,
})
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dodeca-index-'))
  index = openLanceIndex(options())
})
afterAll(async () => {
  await index.close()
  await rm(folder, { recursive: true, force: true })
})

const patient = { timeout: 10_000 }
const spec = { dimensions: 384, language: 'en' }

// First: after a write, an index starts a process by itself to complete what was written.
describe('new processes of the engine', () => {
  test('give way to requests, except the one that searches wait for', async () => {
    const started = async (call: () => Promise<unknown>) => {
      const before = await childPids()
      await call()
      return (await childPids()).filter(pid => !before.includes(pid)).map(extraNiceOf)
    }
    const other = openLanceIndex(options())
    try {
      expect(await started(() => other.create('polite', spec))).toEqual([low_extra])
      expect(await started(() => other.count('polite'))).toEqual([0])
      expect(await started(() => other.completeIndexes('polite'))).toEqual([low_extra])
    } finally {
      await other.close()
    }
  })
})

describeIndex(() => index)

describe('one permitted row among 10,000 that are nearly the same', () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => {
    const vector = normalized(
      Float32Array.from({ length: 64 }, (_, n) => 1 + ((at * 31 + n * 7) % 97) / 1e4),
    )
    const text = `The budget of the year is approved, copy ${at}.`
    return rowOf({ document_no: at + 1, acl_set_id: at === 7777 ? 5 : at % 3, text, vector })
  })
  const prefilter = { acl_set_ids: [5] }
  const ask = async () => {
    const vector = rows[1]?.vector ?? new Float32Array()
    const by_words = await index.search('needle', { text: 'budget of the year', k: 10, prefilter })
    const by_vector = await index.search('needle', { vector, k: 10, prefilter })
    return [by_words, by_vector].map(hits => hits.map(hit => hit.document_no))
  }

  test('is found by words and by vector, also in an approximate index', async () => {
    await index.create('needle', { ...spec, dimensions: 64 })
    for (let at = 0; at < rows.length; at += 2500) {
      await index.upsert('needle', rows.slice(at, at + 2500), leaseFor(60))
    }
    expect(await ask()).toEqual([[7778], [7778]])
    await index.completeIndexes('needle')
    const { table } = await opened('needle')
    expect((await table.listIndices()).map(({ columns }) => columns.join())).toContain('vector')
    expect(await ask()).toEqual([[7778], [7778]])
    await index.setAccess('needle', 42, 5, leaseFor(60))
    expect((await ask()).map(found => new Set(found))).toEqual([
      new Set([7778, 42]),
      new Set([7778, 42]),
    ])
  })

  test('and an approximate index finds what an exact search finds', async () => {
    const vectors = clusteredVectors(10_020, 64)
    await index.create('recall', { ...spec, dimensions: 64 })
    for (let at = 0; at < 10_000; at += 2500) {
      const some = vectors.slice(at, at + 2500)
      const part = some.map((vector, n) =>
        rowOf({ document_no: at + n, acl_set_id: n % 100, vector }),
      )
      await index.upsert('recall', part, leaseFor(60))
    }
    await index.completeIndexes('recall')
    for (const acl_set_ids of [Array.from({ length: 100 }, (_, n) => n), [7]]) {
      let same = 0
      for (const vector of vectors.slice(10_000)) {
        const query = { vector, k: 10, prefilter: { acl_set_ids } }
        const near = await index.search('recall', query)
        const exact = await index.search('recall', { ...query, exact: true })
        same += near.filter(hit => exact.some(one => one.chunk_id === hit.chunk_id)).length
      }
      expect(same).toBeGreaterThanOrEqual(198)
    }
  })

  test('also if it is asked for as many rows as an evaluation or a deep search needs', async () => {
    const [vector = new Float32Array()] = clusteredVectors(1, 64)
    const prefilter = { acl_set_ids: Array.from({ length: 100 }, (_, n) => n) }
    for (const k of [50, 51, 100, 200, 400]) {
      const near = await index.search('recall', { vector, k, prefilter })
      const exact = await index.search('recall', { vector, k, prefilter, exact: true })
      const found = new Set(near.map(hit => hit.chunk_id))
      expect(exact.filter(hit => found.has(hit.chunk_id)).length).toBeGreaterThanOrEqual(0.97 * k)
    }
  })
})

async function opened(name: string) {
  const db = await connect(folder)
  return { table: await db.openTable(name) }
}

describe('a purge', () => {
  test('leaves no byte of a deleted vector or text in the folder', async () => {
    const secret = rowOf({ document_no: 1, text: 'The password of the vault is Rumpelstiltskin.' })
    const rest = Array.from({ length: 50 }, (_, n) => rowOf({ document_no: n + 2 }))
    await index.create('purged', spec)
    await index.upsert('purged', [secret, ...rest], leaseFor(60))
    await index.compact('purged', leaseFor(60))
    expect(await holds(secret.vector)).toBe(true)
    await index.deleteByDocument('purged', 1, leaseFor(60))
    await index.compact('purged', leaseFor(60))
    await index.copy('purged', 'purged-2', leaseFor(60))
    await index.drop('purged')
    expect(await holds(secret.vector)).toBe(false)
    expect(await holds(rest[7]?.vector ?? new Float32Array())).toBe(true)
    expect((await readdir(folder)).filter(name => name.startsWith('purged'))).toEqual([
      'purged-2.lance',
    ])
  })
})

/** Sixteen numbers in a row, as they lie in memory. */
async function holds(vector: Float32Array): Promise<boolean> {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset + 400, 64)
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const contents = await Promise.all(
    files.filter(file => file.isFile()).map(file => readFile(join(file.parentPath, file.name))),
  )
  return contents.some(content => content.includes(bytes))
}

describe('the processes of the engine', () => {
  test('are started again after they were killed', async () => {
    await index.create('killed', spec)
    await index.upsert('killed', [rowOf({ document_no: 1 })], leaseFor(60))
    expect(await index.count('killed')).toBe(1)
    for (const pid of await childPids()) process.kill(pid, 'SIGKILL')
    expect(await index.count('killed')).toBe(1)
    const write = async () =>
      await index.upsert('killed', [rowOf({ document_no: 2 })], leaseFor(60))
    await expect
      .poll(async () => await write().catch((error: unknown) => error), patient)
      .toBeUndefined()
    expect(await index.count('killed')).toBe(2)
  })

  test('are replaced above the limit of memory, and no call is lost', async () => {
    const small = openLanceIndex({ ...options(), memory_bytes: 1 })
    try {
      await index.create('replaced', spec)
      const before = await childPids()
      const counts: number[] = []
      await expect
        .poll(async () => {
          counts.push(await small.count('replaced'))
          return (await childPids()).filter(pid => !before.includes(pid)).join()
        }, patient)
        .not.toBe('')
      const first = (await childPids()).filter(pid => !before.includes(pid)).join()
      await expect
        .poll(async () => {
          counts.push(await small.count('replaced'))
          return (await childPids()).filter(pid => !before.includes(pid)).join()
        }, patient)
        .not.toBe(first)
      expect(new Set(counts)).toEqual(new Set([0]))
    } finally {
      await small.close()
    }
  })

  test('go on beyond the first lease of a copy while its lease is extended', async () => {
    // It takes longer than a second. Without the extension the process would end before.
    const extended = {
      get until_ms() {
        return leaseFor(1).until_ms
      },
    }
    await index.copy('recall', 'recall-2', extended)
    expect(await index.count('recall-2')).toBe(10_000)
  })

  test('end before the lease of a write that does not end', async () => {
    await index.create('leased', spec)
    const rows = Array.from({ length: 4000 }, (_, n) => rowOf({ document_no: n + 1 }))
    const write = index.upsert('leased', rows, leaseFor(0.13))
    await expect(write).rejects.toMatchObject({
      code: expect.stringMatching(/engine_failed|lease_ended/) as string,
    })
    await index.upsert('leased', rows.slice(0, 10), leaseFor(60))
    expect(await index.count('leased')).toBe(10)
  })
})
