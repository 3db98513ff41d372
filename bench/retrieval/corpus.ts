/**
 * The documentation of PostgreSQL 15 (Debian's postgresql-doc-15) as a corpus with judgements: each entry
 * of the book's index names the pages that its authors found relevant for a term. Half of the terms, by
 * hash, are for choices (training); the other half is only for the published figures.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseHTML } from 'linkedom'
import { chunk } from '../../src/surfaces/retrieval/chunking/chunk.ts'
import {
  default_chunking,
  indexedText,
  type Chunk,
} from '../../src/surfaces/retrieval/chunking/chunking.ts'
import { default_limits } from '../../src/surfaces/retrieval/extraction/extract.ts'
import { readHtml } from '../../src/surfaces/retrieval/extraction/read-html.ts'

export const documentation = '/usr/share/doc/postgresql-doc-15/html'

export type Passage = Chunk & {
  readonly id: string
  readonly document: string
  /** What is searched. */
  readonly indexed: string
}
export type Judged = {
  readonly text: string
  readonly relevant: readonly string[]
  readonly training: boolean
}

/** The pages of each query, best first. */
export type Rankings = ReadonlyMap<string, readonly string[]>

export function readPassages(): Passage[] {
  const pages = readdirSync(documentation).filter(
    name => name.endsWith('.html') && name !== 'bookindex.html',
  )
  return pages.toSorted().flatMap(document => {
    const canonical = readHtml(readFileSync(join(documentation, document)), default_limits)
    const chunks = chunk(canonical, { language: 'en', chunking: default_chunking })
    return chunks.map(made => ({
      ...made,
      id: `${document}#${made.ordinal}`,
      document,
      indexed: indexedText(made),
    }))
  })
}

type Element = {
  readonly nodeName: string
  readonly nodeType: number
  readonly textContent: string
  readonly children: Iterable<Element>
  readonly childNodes: Iterable<Element>
  readonly nextElementSibling: Element | null
  getAttribute(name: string): string | null
  querySelectorAll(selector: string): Iterable<Element>
}

export function readJudged(): Judged[] {
  const html = readFileSync(join(documentation, 'bookindex.html'), 'utf8')
  const { document } = parseHTML(html) as unknown as { document: Element }
  const relevant = new Map<string, Set<string>>()
  for (const list of document.querySelectorAll('.indexdiv > dl')) readList(list, '', relevant)
  return [...relevant].map(([text, pages]) => ({
    text,
    relevant: [...pages],
    training: createHash('sha256').update(text).digest().readUInt8() % 2 === 0,
  }))
}

function readList(list: Element, above: string, relevant: Map<string, Set<string>>): void {
  for (const entry of list.children) {
    if (entry.nodeName !== 'DT') continue
    const [first] = entry.childNodes
    const name = (first?.nodeType === 3 ? first.textContent : entry.textContent)
      .split(' (see ', 1)[0]
      ?.replaceAll(/\s+/g, ' ')
      .replace(/,\s*$/, '')
      .trim()
    const text = `${above} ${name}`.trim()
    for (const link of entry.querySelectorAll('a.indexterm')) {
      const page = link.getAttribute('href')?.split('#', 1)[0]
      if (page && /\p{L}{2}/u.test(text)) {
        relevant.set(text, (relevant.get(text) ?? new Set()).add(page))
      }
    }
    const below = entry.nextElementSibling
    if (below?.nodeName === 'DD') {
      for (const inner of below.children) readList(inner, text, relevant)
    }
  }
}
