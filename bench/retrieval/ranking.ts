/**
 * The quality of ranking on PostgreSQL's documentation: LanceDB's two lists and what is joined of them,
 * beside Lucene, Xapian and PostgreSQL with their default analyzers, by one scorer. A page is ranked by
 * its best passage.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashNgram } from '../../src/surfaces/retrieval/embedding/hash-ngram.ts'
import type { LocalProfile } from '../../src/surfaces/retrieval/embedding/profile.ts'
import { leaseFor, type IndexHit } from '../../src/surfaces/retrieval/engines/index.ts'
import { joinHits } from '../../src/surfaces/retrieval/engines/join-hits.ts'
import { openLanceIndex } from '../../src/surfaces/retrieval/engines/lance/open-lance-index.ts'
import {
  meanScores,
  scoreRanking,
  type Scores,
} from '../../src/surfaces/retrieval/evaluation/score.ts'
import type { Bench } from '../ground/comparison.ts'
import type { Section } from '../ground/report.ts'
import { readJudged, readPassages, type Judged, type Passage, type Rankings } from './corpus.ts'
import { lucene, postgres, xapian } from './peers.ts'
import { cached } from './vectors.ts'

const depth = 50
/** Of Lucene's nDCG@10. */
const lead_wanted = 0.02
const portion = 500

export async function ranking({ database }: Bench): Promise<Section> {
  const passages = readPassages()
  const queries = readJudged()
  const ours = await rankWithLance(passages, queries, hashNgram)
  const rankings: [string, Rankings][] = [
    ['LanceDB, words (BM25)', ours.words],
    ['LanceDB, vectors (hash-ngram-384@1)', ours.vectors],
    ['**joined, the default**', ours.joined],
    ['Lucene 8 (BM25, EnglishAnalyzer)', lucene(passages, queries)],
    ['Xapian 1.4 (BM25, English stemmer)', xapian(passages, queries)],
    ['PostgreSQL (ts_rank, english)', await postgres(database.url, passages, queries)],
  ]
  const scores = rankings.map(
    ([name, pages]) =>
      [name, scoresOf(queries, pages, true), scoresOf(queries, pages, false)] as const,
  )
  const held = (name: string) => scores.find(one => one[0].includes(name))?.[2].ndcg_at_10 ?? 0
  const counts = [true, false].map(half => queries.filter(one => one.training === half).length)
  return {
    title: "Ranking on PostgreSQL's documentation",
    columns: ['', 'training nDCG@10', 'held-out nDCG@10', 'recall@10', 'recall@50', 'MRR'],
    rows: scores.map(([name, training, other]) => [
      name,
      figure(training.ndcg_at_10),
      ...[other.ndcg_at_10, other.recall_at_10, other.recall_at_50, other.mrr].map(figure),
    ]),
    verdicts: [
      {
        says: 'nDCG@10 above that of Lucene, held-out half',
        reached: held('joined') - held('Lucene'),
        target: lead_wanted,
        unit: '',
        wanted: 'at least',
      },
    ],
    notes: [
      `${passages.length} passages of ${new Set(passages.map(one => one.document)).size} pages; ` +
        `${counts[0]} terms of the index for choices, ${counts[1]} held out. All but the first column is of the held-out half.`,
    ],
  }
}

async function rankWithLance(
  passages: readonly Passage[],
  queries: readonly Judged[],
  profile: LocalProfile,
) {
  const folder = await mkdtemp(join(tmpdir(), 'ranking-'))
  const index = openLanceIndex({
    storage: { uri: folder, options: {} },
    memory_bytes: 2 * 1024 ** 3,
    read_seconds: 60,
    idle_seconds: 60,
  })
  try {
    const pages = [...new Set(passages.map(one => one.document))]
    const numberOf = new Map(pages.map((page, no) => [page, no]))
    await index.create('passages', { dimensions: profile.dimensions, language: 'en' })
    for (let at = 0; at < passages.length; at += portion) {
      const some = passages.slice(at, at + portion)
      const vectors = await cached(
        profile,
        some.map(one => one.indexed),
      )
      const rows = some.map((one, n) => ({
        chunk_id: `${at + n}`,
        document_no: numberOf.get(one.document) ?? 0,
        document_version: 1,
        chunk_version: '',
        acl_set_id: 0,
        facets: [],
        context: one.context,
        text: one.indexed,
        vector: vectors[n] ?? new Float32Array(),
      }))
      await index.upsert('passages', rows, leaseFor(300))
    }
    await index.compact('passages', leaseFor(300))
    const asked = await cached(
      profile,
      queries.map(one => one.text),
    )
    const words = new Map<string, readonly string[]>()
    const vectors = new Map<string, readonly string[]>()
    const joined = new Map<string, readonly string[]>()
    const pagesOf = (hits: readonly IndexHit[]) => [
      ...new Set(hits.map(hit => pages[hit.document_no] ?? '')),
    ]
    for (const [at, { text }] of queries.entries()) {
      const shared = { k: depth, prefilter: { acl_set_ids: [0] } }
      const by_words = await index.search('passages', { text, ...shared })
      const vector = asked[at] ?? new Float32Array()
      const by_vector = await index.search('passages', { vector, ...shared })
      words.set(text, pagesOf(by_words))
      vectors.set(text, pagesOf(by_vector))
      joined.set(text, pagesOf(joinHits(by_words, by_vector, profile)))
    }
    return { words, vectors, joined }
  } finally {
    await index.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function scoresOf(queries: readonly Judged[], pages: Rankings, training: boolean): Scores {
  return meanScores(
    queries
      .filter(one => one.training === training)
      .map(one => scoreRanking(pages.get(one.text) ?? [], new Set(one.relevant))),
  )
}

const figure = (value: number) => value.toFixed(3)
