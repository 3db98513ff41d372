/** Asks a collection, and shows the answer while it is written, with its quotes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { serverEvents } from '../../../client/src/index.ts'
import { nameOf, words } from '../language.ts'
import { callOperation, plain, type Page, type Row } from '../operation.ts'
import { ProblemBox } from '../problem-box.tsx'
import { mayCall } from '../resource.ts'
import { addressOf, Link } from '../router.tsx'
import { useRead } from '../use-read.ts'
import { AnswerText, type Citation } from './answer-text.tsx'

type Written = {
  readonly id: string
  readonly text: string
  readonly citations: readonly Citation[]
  readonly outcome: string | null
}

const nothing: Written = { id: '', text: '', citations: [], outcome: null }

export function Ask() {
  const collections = useRead('collections to ask', async signal => {
    const page = await callOperation('listCollections', { query: { limit: 100 }, signal })
    return (page as Page).data
  })
  const { written, busy, error, ask } = useAnswer()
  const [query, type] = useState('')
  const [chosen, choose] = useState('')
  const { data } = collections
  if (!mayCall('streamAnswer')) return null
  const collection_id = chosen || plain(data?.[0]?.['id'])
  return (
    <section class="card ask">
      <form
        onSubmit={event => {
          event.preventDefault()
          void ask(collection_id, query)
        }}
      >
        <label class="field">
          <span>{nameOf('collection')}</span>
          <select
            required
            value={collection_id}
            onChange={event => choose(event.currentTarget.value)}
          >
            {(data ?? []).map(one => (
              <option key={plain(one['id'])} value={plain(one['id'])}>
                {plain(one['name'])}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{words.question}</span>
          <input
            required
            value={query}
            maxLength={2000}
            onInput={event => type(event.currentTarget.value)}
          />
        </label>
        <button class="main" disabled={busy || collection_id === ''}>
          {words.ask}
        </button>
      </form>
      {data?.length === 0 && <p class="soft">{words.ask_empty}</p>}
      {collections.error !== undefined && <ProblemBox error={collections.error} />}
      {error !== undefined && <ProblemBox error={error} />}
      <Answered {...{ written, busy }} />
    </section>
  )
}

function Answered({ written, busy }: { readonly written: Written; readonly busy: boolean }) {
  const { id, text, citations, outcome } = written
  return (
    <div aria-live="polite" aria-busy={busy}>
      {outcome === 'insufficient_evidence' && <p class="empty">{words.no_evidence}</p>}
      {text !== '' && <AnswerText {...{ text, citations }} />}
      {outcome !== null && id !== '' && (
        <p class="soft foot">
          <Link to={addressOf(['retrieval', 'answers', id])}>{words.open}</Link>
        </p>
      )}
    </div>
  )
}

function useAnswer() {
  const [written, write] = useState<Written>(nothing)
  const [busy, set] = useState(false)
  const [failure, fail] = useState<unknown>()
  const running = useRef<AbortController>()
  // Leaving the page cancels the question at the platform too.
  useEffect(() => () => running.current?.abort(), [])
  const ask = async (collection_id: string, query: string) => {
    const stop = new AbortController()
    running.current = stop
    set(true)
    write(nothing)
    fail(undefined)
    try {
      const body = { collection_ids: [collection_id], query }
      const { signal } = stop
      const stream = await callOperation('streamAnswer', { body, signal, parseAs: 'stream' })
      let last = nothing
      for await (const { event, data } of serverEvents(stream as ReadableStream<Uint8Array>)) {
        last = after(last, event, data)
        write(last)
      }
      if (last.outcome === null) throw new Error(words.answer_broken)
    } catch (error) {
      if (!stop.signal.aborted) fail(error)
    } finally {
      set(false)
    }
  }
  return { written, busy, error: failure, ask }
}

/** A citation arrives before the words that it supports. */
function after(written: Written, event: string, data: Row): Written {
  const { text, citations } = written
  if (event === 'started') return { ...written, id: plain(data['answer_id']) }
  if (event === 'delta') return { ...written, text: text + plain(data['text']) }
  if (event === 'citation') {
    return { ...written, citations: [...citations, data as unknown as Citation] }
  }
  if (event === 'completed') return { ...written, outcome: plain(data['outcome']) }
  if (event === 'error') throw new Error(`${words.answer_broken} (${plain(data['code'])})`)
  return written
}
