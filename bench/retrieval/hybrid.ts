/**
 * `POST /v1/search` over HTTP on 100,000 chunks: words and vectors, access and the live check of each hit.
 * The chunks come through the API as documents of the size of a book, whose text is PostgreSQL's
 * documentation with other words mixed in, so that no two of them are equal. The questions are terms of
 * the documentation's index.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '@lancedb/lancedb'
import { ask } from '../ground/database.ts'
import type { Bench } from '../ground/comparison.ts'
import { requestText } from '../ground/load.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { makePeople, type LoggedIn } from '../ground/product.ts'
import { startProgram } from '../ground/program.ts'
import { figure, type Section } from '../ground/report.ts'
import { percentile } from '../ground/rounds.ts'
import { openWire } from '../ground/wire.ts'
import { readJudged, readPassages } from './corpus.ts'

const characters = 900_000
const patience_ms = 600_000
/** The platform merges more parts when no row is written any more. */
const parts_max = 8

export async function hybrid({ database, options }: Bench): Promise<Section> {
  const wanted = options.seconds < 6 ? 10_000 : 100_000
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-hybrid-'))
  const database_url = await database.create('hybrid')
  const program = await startProgram({
    ...productionEnvironment(database_url),
    DATA_DIR: folder,
    PUBLIC_URL: 'http://dodeca.test',
    IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
    RETRIEVAL_ANSWERS_PER_MINUTE: '1000000',
  })
  try {
    const [owner] = await makePeople(program.port, 1)
    if (!owner) throw new Error('no person')
    const began_ms = performance.now()
    const { collection_id, chunks } = await fill(owner, database_url, wanted)
    const filled_seconds = (performance.now() - began_ms) / 1000
    const indexing = await vectorsIndexed(join(folder, 'retrieval'), database_url, chunks)
    const terms = readJudged().map(one => one.text)
    const search = (n: number) =>
      requestText({
        method: 'POST',
        path: '/v1/search',
        token: owner.access_token,
        body: { collection_ids: [collection_id], query: terms[n % terms.length], top_k: 8 },
      })
    const alone = await searches(program.port, search, 1, options.seconds)
    const four = await searches(program.port, search, 4, options.seconds)
    return sectionOf(
      chunks,
      `${filled_seconds.toFixed(0)} s, all stages included. ${indexing}`,
      alone,
      four,
    )
  } finally {
    await program.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Waits until the platform has built the vector index and merged its parts. */
async function vectorsIndexed(uri: string, database_url: string, chunks: number): Promise<string> {
  const began_ms = performance.now()
  const db = await connect(uri, { readConsistencyInterval: 0 })
  const [version] = await ask(database_url, 'select table_id from retrieval.index_versions')
  const table = await db.openTable(`i-${String(version?.['table_id'])}`)
  while (performance.now() - began_ms < patience_ms) {
    const stats = await table.indexStats('vector_idx')
    const { numIndices = 0, numIndexedRows = 0, numUnindexedRows = 0 } = stats ?? {}
    if (numIndexedRows >= 0.8 * chunks && numIndices <= parts_max) {
      const seconds = ((performance.now() - began_ms) / 1000).toFixed(0)
      return `The vector index was complete ${seconds} s later (${numIndices} parts, ${numUnindexedRows} rows not in it).`
    }
    await pause(500)
  }
  throw new Error('the vector index was not built')
}

function sectionOf(chunks: number, filling: string, alone: number[], four: number[]) {
  const row = (name: string, times: number[]) => [
    name,
    figure(percentile(times, 0.5)),
    figure(percentile(times, 0.95)),
  ]
  const [p50, p95] = [percentile(alone, 0.5), percentile(four, 0.95)]
  const section: Section = {
    title: `Hybrid search over HTTP of ${chunks.toLocaleString('en')} chunks`,
    columns: ['', 'p50 ms', 'p95 ms'],
    rows: [row('one at a time', alone), row('four at a time', four)],
    verdicts: [
      { says: 'p50, one at a time', reached: p50, target: 60, unit: 'ms', wanted: 'at most' },
      { says: 'p95, four at a time', reached: p95, target: 150, unit: 'ms', wanted: 'at most' },
    ],
    notes: [
      `${alone.length + four.length} searches. The chunks came through the API in ${filling}`,
    ],
  }
  return section
}

async function fill(owner: LoggedIn, database_url: string, wanted: number) {
  const send = async (path: string, body: object) => {
    const { status, body: text } = await owner.wire.ask(
      requestText({ method: 'POST', path, token: owner.access_token, body }),
    )
    if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
    return JSON.parse(text) as { id: string }
  }
  const { id } = await send('/v1/collections', {
    name: 'Books',
    embedding_profile: 'hash-ngram-384@1',
  })
  const passages = readPassages().map(({ text }) => text)
  const vocabulary = [...new Set(passages.join(' ').match(/[a-z]{4,}/g))]
  const until_ms = performance.now() + patience_ms
  let sent = 0
  for (;;) {
    const [found] = await ask(
      database_url,
      `select coalesce(sum(chunk_count), 0)::int as chunks,
         count(*) filter (where state in ('pending', 'processing'))::int as waiting,
         count(*) filter (where state = 'failed')::int as failed
       from retrieval.documents`,
    )
    const chunks = Number(found?.['chunks'])
    const waiting = Number(found?.['waiting'])
    if (Number(found?.['failed']) > 0) throw new Error('a document failed')
    const expected = sent === waiting ? 0 : (chunks / (sent - waiting)) * sent
    if (chunks >= wanted && waiting === 0) return { collection_id: id, chunks }
    if (performance.now() > until_ms) throw new Error(`only ${chunks} chunks were indexed`)
    if (waiting < 4 && expected < wanted) {
      const text = bookOf(passages, vocabulary, sent)
      await send(`/v1/collections/${id}/documents`, { title: `Book ${sent}`, text })
      sent++
    } else await pause(200)
  }
}

/** Every fifth word of long passages is another one, which the number of the book decides. */
function bookOf(
  passages: readonly string[],
  vocabulary: readonly string[],
  number: number,
): string {
  let text = ''
  for (let at = number * 1297; text.length < characters; at++) {
    const words = (passages[at % passages.length] ?? '').split(' ')
    for (let n = number % 5; n < words.length; n += 5) {
      words[n] = vocabulary[(at * 7919 + n * 104_729 + number) % vocabulary.length] ?? ''
    }
    text += `${words.join(' ')}\n\n`
  }
  return text.slice(0, characters)
}

async function searches(
  port: number,
  request: (n: number) => string,
  at_once: number,
  seconds: number,
): Promise<number[]> {
  const times: number[] = []
  let next = 0
  const run = async (until_ms: number, record: boolean) => {
    const wire = await openWire(port)
    while (performance.now() < until_ms) {
      const began_ms = performance.now()
      const { status, body } = await wire.ask(request(next++))
      if (status !== 200) throw new Error(`${status} ${body}`)
      if (record) times.push(performance.now() - began_ms)
    }
    wire.close()
  }
  for (const record of [false, true]) {
    const until_ms = performance.now() + (record ? seconds : 2) * 1000
    await Promise.all(Array.from({ length: at_once }, () => run(until_ms, record)))
  }
  return times
}
