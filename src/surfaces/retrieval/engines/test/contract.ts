/** What every engine does. Each adapter runs this suite. */
import { describe, expect, test } from 'vitest'
import { embedText } from '../../embedding/hash-ngram.ts'
import { facetOf } from '../facets.ts'
import { leaseFor, type IndexRow, type RetrievalIndex } from '../index.ts'
import { rowOf } from './rows.ts'

const spec = { dimensions: 384, language: 'en' }
const lease = () => leaseFor(60)
const all = { acl_set_ids: [0] }
let tables = 0

export function describeIndex(open: () => RetrievalIndex): void {
  const tools = toolsOf(open)
  describeTable(tools)
  describePrefilter(tools)
  describeDocuments(tools)
  describeTables(tools)
}

function toolsOf(open: () => RetrievalIndex) {
  const made = async (rows: readonly IndexRow[] = []) => {
    const table = `table-${++tables}`
    await open().create(table, spec)
    await open().upsert(table, rows, lease())
    return table
  }
  const found = async (table: string, text: string, prefilter = all, k = 10) => {
    const hits = await open().search(table, { text, k, prefilter })
    return hits.map(({ document_no }) => document_no)
  }
  const near = async (table: string, text: string, prefilter = all, k = 10) => {
    const hits = await open().search(table, { vector: embedText(text), k, prefilter })
    return hits.map(({ document_no }) => document_no)
  }
  const texts = [
    'Writers wait for locks of other transactions.',
    'The planner estimates the cost of a query.',
    'A vacuum removes dead rows.',
  ]
  const three = () => texts.map((text, at) => rowOf({ document_no: at + 1, text }))
  return { made, found, near, three, open }
}

type Tools = ReturnType<typeof toolsOf>

function describeTable({ made, found, near, three, open }: Tools): void {
  describe('an index table', () => {
    test('finds words in every form, by text and by vector', async () => {
      const table = await made(three())
      expect(await found(table, 'locked transaction')).toEqual([1])
      expect(await found(table, 'COSTS')).toEqual([2])
      expect((await near(table, 'planner costs'))[0]).toBe(2)
      expect(await near(table, 'planner costs')).toHaveLength(3)
    })

    test('ranks a rare word above a frequent one', async () => {
      const filler = Array.from({ length: 30 }, (_, n) =>
        rowOf({ document_no: n + 10, text: 'The planner reads the query.' }),
      )
      const rare = rowOf({ document_no: 1, text: 'The toast table of the query.' })
      const table = await made([...filler, rare])
      expect((await found(table, 'planner toast'))[0]).toBe(1)
    })

    test('finds nothing for words that do not occur, or for signs', async () => {
      const table = await made(three())
      expect(await found(table, 'unicorn')).toEqual([])
      expect(await found(table, `'; drop "x" + - (`)).toEqual([])
    })

    test('replaces a row that is written again', async () => {
      const table = await made(three())
      await open().upsert(table, three(), lease())
      expect(await open().count(table)).toBe(3)
      await open().upsert(table, [rowOf({ document_no: 1, text: 'Checkpoints.' })], lease())
      expect(await open().count(table)).toBe(3)
      expect(await found(table, 'locks')).toEqual([])
      expect(await found(table, 'checkpoint')).toEqual([1])
    })

    test('finds the same after it was compacted', async () => {
      const table = await made(three())
      const before = await found(table, 'vacuum locks')
      await open().compact(table, lease())
      expect(new Set(await found(table, 'vacuum locks'))).toEqual(new Set(before))
      await open().upsert(table, [rowOf({ document_no: 9, text: 'A vacuum of locks.' })], lease())
      expect(await found(table, 'vacuum locks')).toContain(9)
    })

    test('can be created again without a change', async () => {
      const table = await made(three())
      await open().create(table, spec)
      expect(await open().count(table)).toBe(3)
    })

    test('of another language is searched in all its letters', async () => {
      const table = `table-${++tables}`
      await open().create(table, { dimensions: 384, language: 'ja' })
      await open().upsert(table, [rowOf({ document_no: 1, text: 'Überprüfung 42' })], lease())
      expect(await found(table, 'uberprufung')).toEqual([1])
    })

    test('refuses a vector of another profile', async () => {
      const table = await made()
      const wrong = { ...rowOf({ document_no: 1 }), vector: new Float32Array(512) }
      await expect(open().upsert(table, [wrong], lease())).rejects.toThrow('384 dimensions')
    })
  })
}

function describePrefilter({ made, found, near, three, open }: Tools): void {
  describe('a prefilter', () => {
    test('permits rows of its lists only, in both legs, and all k of them', async () => {
      const rows = Array.from({ length: 60 }, (_, n) =>
        rowOf({ document_no: n + 1, acl_set_id: n % 6, text: `Writers wait for lock ${n}.` }),
      )
      const table = await made(rows)
      for (const search of [found, near]) {
        const numbers = await search(table, 'writers wait', { acl_set_ids: [2, 4] }, 20)
        expect(numbers).toHaveLength(20)
        expect(numbers.filter(no => ![2, 4].includes((no - 1) % 6))).toEqual([])
        expect(await search(table, 'writers wait', { acl_set_ids: [] })).toEqual([])
        expect(await search(table, 'writers wait', { acl_set_ids: [77] })).toEqual([])
      }
    })

    test('compares facets: any of an inner list, all of the outer', async () => {
      const en = facetOf('language', 'en')
      const de = facetOf('language', 'de')
      const draft = facetOf('draft', true)
      const table = await made([
        rowOf({ document_no: 1, text: 'lock', facets: [en, draft] }),
        rowOf({ document_no: 2, text: 'lock', facets: [de, draft] }),
        rowOf({ document_no: 3, text: 'lock', facets: [en] }),
      ])
      const by = async (...facets: bigint[][]) =>
        new Set(await near(table, 'lock', { ...all, facets } as typeof all))
      expect(await by([en])).toEqual(new Set([1, 3]))
      expect(await by([en, de], [draft])).toEqual(new Set([1, 2]))
      expect(await by([facetOf('draft', 'true')])).toEqual(new Set())
      expect(await by([])).toEqual(new Set())
    })

    test('can name documents', async () => {
      const table = await made(three())
      const two = { ...all, document_nos: [2, 3] }
      expect(new Set(await near(table, 'locks', two))).toEqual(new Set([2, 3]))
      expect(await found(table, 'locks', two)).toEqual([])
    })

    test('follows a document that moves to another list', async () => {
      const table = await made(three())
      await open().setAccess(table, 1, 5, lease())
      expect(await found(table, 'locks')).toEqual([])
      expect(await near(table, 'locks')).not.toContain(1)
      expect(await found(table, 'locks', { acl_set_ids: [5] })).toEqual([1])
    })
  })
}

function describeDocuments({ made, found, near, three, open }: Tools): void {
  describe('a document', () => {
    test('that is deleted is not found, also when only its old versions are', async () => {
      const table = await made([
        ...three(),
        rowOf({ document_no: 1, document_version: 2, text: 'Locks of version two.' }),
      ])
      await open().deleteByDocument(table, 1, lease(), 2)
      expect(await open().documents(table, 1, 2)).toEqual([
        { document_no: 1, document_version: 2, acl_set_id: 0, chunks: 1 },
        { document_no: 2, document_version: 1, acl_set_id: 0, chunks: 1 },
      ])
      await open().deleteByDocument(table, 1, lease())
      await open().deleteByDocument(table, 1, lease())
      expect(await found(table, 'locks')).toEqual([])
      expect(await near(table, 'locks')).not.toContain(1)
      expect(await open().count(table)).toBe(2)
    })
  })
}

function describeTables({ made, found, three, open }: Tools): void {
  describe('a table', () => {
    test('is copied with its live rows, and the old one is dropped', async () => {
      const table = await made(three())
      await open().deleteByDocument(table, 1, lease())
      await open().copy(table, `${table}-b`, lease())
      await open().copy(table, `${table}-b`, lease())
      await open().drop(table)
      await open().drop(table)
      await expect(open().count(table)).rejects.toMatchObject({ code: 'table_missing' })
      expect(await open().count(`${table}-b`)).toBe(2)
      expect(await found(`${table}-b`, 'locks')).toEqual([])
      expect(await found(`${table}-b`, 'vacuum')).toEqual([3])
    })

    test('that does not exist is an error with a code', async () => {
      const missing = { code: 'table_missing' }
      await expect(open().count('none')).rejects.toMatchObject(missing)
      await expect(open().upsert('none', three(), lease())).rejects.toMatchObject(missing)
      await expect(open().count('../none')).rejects.toMatchObject({ code: 'engine_failed' })
    })

    test('is not written after the lease of its writer', async () => {
      const table = await made(three())
      const ended = leaseFor(-1)
      const writes = [
        open().upsert(table, [rowOf({ document_no: 9 })], ended),
        open().setAccess(table, 1, 5, ended),
        open().deleteByDocument(table, 1, ended),
        open().copy(table, `${table}-c`, ended),
        open().compact(table, ended),
      ]
      const codes = await Promise.all(
        writes.map(async write => await write.catch((error: unknown) => error)),
      )
      expect(codes).toMatchObject(writes.map(() => ({ code: 'lease_ended' })))
      expect(await open().documents(table, 0, 100)).toHaveLength(3)
    })
  })
}
