/** The text of a document. The quote of an answer is marked. */
import { useEffect, useRef } from 'preact/hooks'
import { nameOf, words } from '../language.ts'
import { plain, type Row } from '../operation.ts'
import { ProblemBox } from '../problem-box.tsx'
import { useList } from '../use-list.ts'
import type { Range } from './answer-text.tsx'
import type { PanelProps } from './panel.ts'

type Chunk = { readonly id: string; readonly text: string; readonly range: Range }

export function DocumentText({ path, filters }: PanelProps) {
  const listed = useList({
    list: 'listDocumentChunks',
    path,
    filters: {},
    key: row => plain(row['id']),
  })
  const { rows, has_more, loading, error, more } = listed
  const chunks = rows as unknown as readonly (Row & Chunk)[]
  const wanted = filters['chunk'] ?? ''
  const cited = chunks.find(one => one.id === wanted)
  useEffect(() => {
    if (wanted !== '' && !cited && has_more) more()
  }, [rows.length, wanted])
  const mark = cited && markOf(cited, filters)
  return (
    <section class="card preview">
      <h2>{nameOf('text')}</h2>
      {error !== null && <ProblemBox error={error} />}
      {!loading && wanted !== '' && !cited && !has_more && <p>{words.quote_gone}</p>}
      {rows.length > 0 && <Text {...{ chunks, mark }} />}
      {has_more && (
        <button type="button" onClick={more}>
          {words.more}
        </button>
      )}
    </section>
  )
}

/** The place of the quoted words in the document. */
function markOf({ range }: Chunk, { start = '0', end = '0' }: PanelProps['filters']): Range {
  return { start: range.start + Number(start), end: range.start + Number(end) }
}

type TextProps = { readonly chunks: readonly Chunk[]; readonly mark: Range | undefined }

function Text({ chunks, mark }: TextProps) {
  const first = useRef<HTMLElement>(null)
  const at = mark?.start
  useEffect(() => first.current?.scrollIntoView({ block: 'center' }), [at])
  let shown_to = 0
  let marked = false
  return (
    <div class="document" tabIndex={0} role="region" aria-label={nameOf('text')}>
      {chunks.map(({ id, text, range }) => {
        const from = Math.max(shown_to, range.start)
        const gap = shown_to > 0 && range.start > shown_to
        shown_to = Math.max(shown_to, range.end)
        const [before, quoted, after] = cut(text, { start: from, end: range.end }, range, mark)
        const begins = quoted !== '' && !marked
        marked ||= begins
        return (
          <span key={id}>
            {gap && '\n\n'}
            {before}
            {quoted !== '' && <mark ref={begins ? first : null}>{quoted}</mark>}
            {after}
          </span>
        )
      })}
    </div>
  )
}

/** The shown parts of a chunk: before the mark, inside the mark, after the mark. Chunks overlap. */
function cut(text: string, shown: Range, { start }: Range, mark?: Range): [string, string, string] {
  const signs = Array.from(text)
  const of = (from: number, to: number) =>
    signs.slice(Math.max(shown.start, from) - start, Math.max(shown.start, to) - start).join('')
  if (!mark) return [of(shown.start, shown.end), '', '']
  const end = Math.min(mark.end, shown.end)
  return [of(shown.start, Math.min(mark.start, shown.end)), of(mark.start, end), of(end, shown.end)]
}
