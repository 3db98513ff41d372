/** How busy the platform is, from its metrics. Only people who may read them see this. */
import { useRef } from 'preact/hooks'
import { useLive } from './live.ts'
import { language, words } from './language.ts'
import { useRead } from './use-read.ts'

type Metric = { readonly name: string; readonly labels: string; readonly value: number }

const between_ms = 5000

export function Load() {
  const { data, reload } = useRead('load', async signal => {
    const answer = await fetch('/metrics', { signal })
    return answer.ok ? figuresOf(parse(await answer.text())) : []
  })
  // Metrics are large: events cause at most one reading in five seconds.
  const read_ms = useRef(0)
  useLive([''], () => {
    if (performance.now() - read_ms.current < between_ms) return
    read_ms.current = performance.now()
    reload()
  })
  if (!data || data.length === 0) return null
  return (
    <section class="card">
      <h2>{words.load}</h2>
      <dl class="inner">
        {data.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The text format of Prometheus: `name{labels} value`. */
function parse(text: string): Metric[] {
  return [...text.matchAll(/^([a-z_0-9]+)(\{[^\n]*\})? ([-+.0-9e]+)$/gm)].map(
    ([, name = '', labels = '', value]) => ({ name, labels, value: Number(value) }),
  )
}

const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })

/** With several processes, amounts are added up, and of the delays the longest counts. */
function figuresOf(metrics: readonly Metric[]): [string, string][] {
  const valuesOf = (name: string, label = '') =>
    metrics.filter(one => one.name === name && one.labels.includes(label)).map(one => one.value)
  const sum = (name: string, label?: string) => valuesOf(name, label).reduce((a, b) => a + b, 0)
  const requests = sum('http_server_request_duration_seconds_count')
  const seconds = sum('http_server_request_duration_seconds_sum')
  const failed = sum('http_server_request_duration_seconds_count', 'status="5')
  const total = sum('db_pool_connections', 'state="total"')
  const busy = total - sum('db_pool_connections', 'state="idle"')
  const waiting = sum('db_pool_connections', 'state="waiting"')
  const delay_ms = Math.max(0, ...valuesOf('nodejs_eventloop_lag_p99_seconds')) * 1000
  const memory_mb = sum('process_resident_memory_bytes') / 1e6
  const mean_ms = requests > 0 ? (seconds / requests) * 1000 : 0
  return [
    [words.load_requests, `${number.format(requests)} · Ø ${number.format(mean_ms)} ms`],
    [words.load_failed, number.format(failed)],
    [words.load_delay, `${number.format(delay_ms)} ms`],
    [words.load_memory, `${number.format(memory_mb)} MB`],
    [words.load_connections, `${busy} / ${total} · ${words.load_waiting} ${waiting}`],
    [words.load_events, number.format(sum('outbox_pending'))],
  ]
}
