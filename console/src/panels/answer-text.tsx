/**
 * An answer with a number after each quote, and the list of quotes. Each quote links to its
 * document.
 */
import { words } from '../language.ts'
import { plain } from '../operation.ts'
import { addressOf, Link } from '../router.tsx'
import type { PanelProps } from './panel.ts'

/** The positions in code points. */
export type Range = { readonly start: number; readonly end: number }

export type Citation = {
  readonly rank: number
  readonly redacted: boolean
  readonly chunk_id: string | null
  readonly document_id: string | null
  readonly title: string | null
  readonly source_uri: string | null
  readonly quoted_range: Range | null
  readonly quote: string | null
  readonly answer_range: Range | null
}

type Props = { readonly text: string; readonly citations: readonly Citation[] }

export function AnswerText({ text, citations }: Props) {
  return (
    <>
      <p class="answer">
        {piecesOf(text, citations).map(({ words: said, ranks }) => (
          <span key={said + ranks.join()}>
            {said}
            {ranks.map(rank => (
              <sup key={rank}> {rank}</sup>
            ))}
          </span>
        ))}
      </p>
      <ol class="citations">
        {citations.map(one => (
          <li key={one.rank} value={one.rank}>
            {one.redacted ? <span class="soft">{words.redacted}</span> : <Cited {...one} />}
          </li>
        ))}
      </ol>
    </>
  )
}

function Cited({ chunk_id, document_id, title, source_uri, quoted_range, quote }: Citation) {
  const { start = 0, end = 0 } = quoted_range ?? {}
  const filters = { chunk: chunk_id ?? '', start: String(start), end: String(end) }
  return (
    <>
      <Link to={addressOf(['retrieval', 'documents', document_id ?? ''], filters)}>
        <bdi>{title ?? source_uri ?? document_id}</bdi>
      </Link>
      <blockquote>{quote}</blockquote>
    </>
  )
}

type Piece = { readonly words: string; readonly ranks: readonly number[] }

/** Cuts the text after each quote. */
function piecesOf(text: string, citations: readonly Citation[]): Piece[] {
  const signs = Array.from(text)
  const ends = citations.flatMap(({ answer_range }) => (answer_range ? [answer_range.end] : []))
  const cuts = [...new Set([...ends.filter(end => end <= signs.length), signs.length])]
  let from = 0
  return cuts
    .toSorted((a, b) => a - b)
    .map(to => {
      const said = signs.slice(from, to).join('')
      from = to
      const ranks = citations.filter(one => one.answer_range?.end === to).map(one => one.rank)
      return { words: said, ranks }
    })
}

/** A stored answer. */
export function StoredAnswer({ row }: PanelProps) {
  const citations = (row['citations'] ?? []) as readonly Citation[]
  const text = plain(row['text'])
  if (row['state'] === 'redacted') return <p class="empty">{words.redacted}</p>
  if (text === '') return null
  return (
    <section class="card">
      <AnswerText {...{ text, citations }} />
    </section>
  )
}
