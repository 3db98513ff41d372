/**
 * Searches of 100,000 vectors of 384 dimensions around 200 centres: LanceDB with every vector compared
 * and with its approximate index, without a filter and with one that permits 1 %, one search at a time,
 * beside FAISS and hnswlib with one thread. Ours include the way to the engine's process and back.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { leaseFor, type RetrievalIndex } from '../../src/surfaces/retrieval/engines/index.ts'
import { openLanceIndex } from '../../src/surfaces/retrieval/engines/lance/open-lance-index.ts'
import { clusteredVectors, rowOf } from '../../src/surfaces/retrieval/engines/test/rows.ts'
import type { Bench } from '../ground/comparison.ts'
import type { Section } from '../ground/report.ts'

const dimensions = 384
const asked = 200
const lists = 100
const portion = 1000
const everything = Array.from({ length: lists }, (_, n) => n)

type Measured = {
  readonly name: string
  readonly p50_ms: number
  readonly p95_ms: number
  readonly recall: number
  readonly build_seconds: number
}

export async function searching({ options }: Bench): Promise<Section> {
  const count = options.seconds < 6 ? 10_000 : 100_000
  const folder = await mkdtemp(join(tmpdir(), 'searching-'))
  const index = openLanceIndex({
    storage: { uri: join(folder, 'lance'), options: {} },
    memory_bytes: 4 * 1024 ** 3,
    read_seconds: 60,
    idle_seconds: 600,
  })
  try {
    const vectors = clusteredVectors(count + asked, dimensions)
    const loaded_seconds = await seconds(async () => await load(index, vectors.slice(0, count)))
    const queries = vectors.slice(count)
    const flat = await measure(index, queries, 'LanceDB, every vector', true, 0)
    const built = await seconds(async () => await index.completeIndexes('vectors'))
    const near = await measure(index, queries, 'LanceDB, approximate', false, built)
    const peers = await beside(folder, vectors, count)
    const measured = [...flat, ...near, ...peers]
    return {
      title: `Search of ${count.toLocaleString('en')} vectors of ${dimensions} dimensions`,
      columns: ['', 'p50 ms', 'p95 ms', 'recall@10', 'build s'],
      rows: measured.map(one => [
        one.name,
        one.p50_ms.toFixed(1),
        one.p95_ms.toFixed(1),
        one.recall.toFixed(3),
        one.build_seconds === 0 ? '' : one.build_seconds.toFixed(0),
      ]),
      verdicts: near.flatMap(({ name, p50_ms, recall }) => [
        {
          says: `recall@10: ${name}`,
          reached: recall,
          target: 0.99,
          unit: '',
          wanted: 'at least' as const,
        },
        {
          says: `p50: ${name}`,
          reached: p50_ms,
          target: 40,
          unit: 'ms',
          wanted: 'at most' as const,
        },
      ]),
      notes: [`The rows were written in ${loaded_seconds.toFixed(0)} s.`],
    }
  } finally {
    await index.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function load(index: RetrievalIndex, vectors: readonly Float32Array[]): Promise<void> {
  await index.create('vectors', { dimensions, language: 'en' })
  for (let at = 0; at < vectors.length; at += portion) {
    const rows = vectors
      .slice(at, at + portion)
      .map((vector, n) =>
        rowOf({ document_no: at + n, acl_set_id: (at + n) % lists, text: `${at + n}`, vector }),
      )
    await index.upsert('vectors', rows, leaseFor(600))
  }
  await index.compact('vectors', leaseFor(600))
}

async function measure(
  index: RetrievalIndex,
  queries: readonly Float32Array[],
  name: string,
  exact: boolean,
  build_seconds: number,
): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const [filter, acl_set_ids] of [
    ['', everything],
    [', 1 % permitted', [7]],
  ] as const) {
    const times: number[] = []
    let same = 0
    let wanted = 0
    for (const vector of queries) {
      const query = { vector, k: 10, prefilter: { acl_set_ids } }
      const began_ms = performance.now()
      const found = await index.search('vectors', { ...query, exact })
      times.push(performance.now() - began_ms)
      const best = exact ? found : await index.search('vectors', { ...query, exact: true })
      const ids = new Set(found.map(hit => hit.chunk_id))
      same += best.filter(hit => ids.has(hit.chunk_id)).length
      wanted += best.length
    }
    times.sort((a, b) => a - b)
    measured.push({
      name: name + filter,
      p50_ms: times[Math.floor(times.length / 2)] ?? 0,
      p95_ms: times[Math.floor(times.length * 0.95)] ?? 0,
      recall: same / wanted,
      build_seconds,
    })
  }
  return measured
}

async function beside(
  folder: string,
  vectors: readonly Float32Array[],
  count: number,
): Promise<Measured[]> {
  const path = join(folder, 'vectors')
  await writeFile(path, Buffer.concat(vectors.map(one => Buffer.from(one.buffer))))
  const program = fileURLToPath(new URL('./peers/vectors_peer.py', import.meta.url))
  const numbers = [count, dimensions, asked].map(String)
  const printed = execFileSync('/usr/bin/python3', [program, path, ...numbers], {
    encoding: 'utf8',
    env: { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
  })
  return JSON.parse(printed) as Measured[]
}

async function seconds(run: () => Promise<void>): Promise<number> {
  const began_ms = performance.now()
  await run()
  return (performance.now() - began_ms) / 1000
}
