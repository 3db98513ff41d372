/**
 * Other search engines with their default analyzers for English: Lucene and Xapian as programs of their
 * own, PostgreSQL in the comparison's database. Debian: apt-get install liblucene8-java
 * default-jdk-headless python3-xapian python3-faiss python3-hnswlib postgresql-doc-15.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Judged, Passage, Rankings } from './corpus.ts'

const jars = ['lucene-core', 'lucene-analyzers-common']
  .map(name => `/usr/share/java/${name}-8.7.0.jar`)
  .join(':')
const depth = 50

export function lucene(passages: readonly Passage[], queries: readonly Judged[]): Rankings {
  const program = fileURLToPath(new URL('./peers/LucenePeer.java', import.meta.url))
  return ranked('java', ['-cp', jars, program], passages, queries)
}

export function xapian(passages: readonly Passage[], queries: readonly Judged[]): Rankings {
  const program = fileURLToPath(new URL('./peers/xapian_peer.py', import.meta.url))
  return ranked('/usr/bin/python3', [program], passages, queries)
}

function ranked(
  command: string,
  parameters: readonly string[],
  passages: readonly Passage[],
  queries: readonly Judged[],
): Rankings {
  const folder = mkdtempSync(join(tmpdir(), 'peer-'))
  const file = (name: string) => join(folder, name)
  const line = (id: number, text: string) => `${id}\t${text.replaceAll(/\s+/g, ' ')}\n`
  try {
    writeFileSync(file('passages'), passages.map((one, at) => line(at, one.indexed)).join(''))
    writeFileSync(file('queries'), queries.map((one, at) => line(at, one.text)).join(''))
    const files = ['passages', 'queries', 'found', 'index'].map(file)
    execFileSync(command, [...parameters, ...files], { stdio: ['ignore', 'ignore', 'inherit'] })
    const found = readFileSync(file('found'), 'utf8').trimEnd().split('\n')
    return new Map(
      found.map(one => {
        const [query, ...ids] = one.split('\t').map(Number)
        const pages = ids.map(id => passages[id]?.document ?? '')
        return [queries[query ?? -1]?.text ?? '', [...new Set(pages)]]
      }),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Words joined by "or", as the others do; ranked by ts_rank with the length of the passage. */
export async function postgres(
  url: string,
  passages: readonly Passage[],
  queries: readonly Judged[],
): Promise<Rankings> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`create temp table passages (page text, words tsvector)`)
    await client.query(
      `insert into passages select page, to_tsvector('english', body)
       from unnest($1::text[], $2::text[]) as p(page, body)`,
      [passages.map(one => one.document), passages.map(one => one.indexed)],
    )
    await client.query(`create index on passages using gin (words)`)
    await client.query(`analyze passages`)
    const found = new Map<string, string[]>()
    for (const { text } of queries) {
      const { rows } = await client.query<{ page: string }>(
        `select page from passages, lateral (
           select nullif(replace(plainto_tsquery('english', $1)::text, '&', '|'), '')::tsquery as q) a
         where words @@ q order by ts_rank(words, q, 1) desc limit ${depth}`,
        [text],
      )
      found.set(text, [...new Set(rows.map(one => one.page))])
    }
    return found
  } finally {
    await client.end()
  }
}
