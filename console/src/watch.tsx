/** The stream of one item: shows each event as it arrives, until the item ends. */
import { useEffect, useState } from 'preact/hooks'
import { serverEvents, type ServerEvent } from '../../client/src/index.ts'
import { words } from './language.ts'
import { callOperation, type OperationId, type Row } from './operation.ts'
import { textOf } from './value.tsx'

type Props = { readonly stream: OperationId; readonly path: Readonly<Record<string, string>> }

const shown_max = 200

export function Watch({ stream, path }: Props) {
  const [events, set] = useState<readonly ServerEvent[]>([])
  const about = JSON.stringify(path)
  useEffect(() => {
    const stop = new AbortController()
    const follow = async () => {
      const headers = { accept: 'text/event-stream' }
      const { signal } = stop
      const body = await callOperation(stream, { path, headers, signal, parseAs: 'stream' })
      for await (const event of serverEvents(body as ReadableStream<Uint8Array>)) {
        set(before => [event, ...before].slice(0, shown_max))
      }
    }
    // Without the stream the page still shows the item. The error of the read says why.
    follow().catch(() => {})
    return () => stop.abort()
  }, [stream, about])
  if (events.length === 0) return null
  return (
    <section aria-live="polite">
      <h2>{words.live}</h2>
      <ol class="timeline">
        {events.map(({ event, id, data }, at) => (
          <li key={`${id ?? ''} ${events.length - at}`}>
            <code>{event}</code> {lineOf(data as Row)}
          </li>
        ))}
      </ol>
    </section>
  )
}

function lineOf(data: Row): string {
  const { state, stage, current, total, code } = data
  return [state, stage, current, total === null ? undefined : total, code]
    .filter(one => one !== undefined && one !== null)
    .map(value => textOf({ name: '', value, row: data }))
    .join(' ')
}
