/**
 * The engines of retrieval: how well they rank (beside Lucene, Xapian and PostgreSQL), how fast and how
 * exactly they search 100,000 vectors (beside FAISS and hnswlib), and how fast they ingest. Rounds
 * shorter than the usual ones (`--seconds=1`) search a tenth of the vectors, as a trial.
 */
import { comparison, type Bench } from './ground/comparison.ts'
import type { Section } from './ground/report.ts'
import { hybrid } from './retrieval/hybrid.ts'
import { ingesting } from './retrieval/ingesting.ts'
import { ranking } from './retrieval/ranking.ts'
import { searching } from './retrieval/searching.ts'

const measures: Readonly<Record<string, (bench: Bench) => Promise<Section>>> = {
  ranking,
  searching,
  ingesting,
  hybrid,
}

await comparison('retrieval', async (bench: Bench) => {
  const { only } = bench.options
  const sections: Section[] = []
  for (const [name, measure] of Object.entries(measures)) {
    if (only === null || only === name) sections.push(await measure(bench))
  }
  return sections
})
