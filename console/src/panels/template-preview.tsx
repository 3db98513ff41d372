/**
 * Renders a template with sample data while a person edits the data. The HTML of the template is
 * not trusted. It is shown in a frame of the platform that runs no script and loads nothing.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { fill, nameOf, words } from '../language.ts'
import { callOperation, plain, type Row } from '../operation.ts'
import { ProblemBox } from '../problem-box.tsx'
import { useRead } from '../use-read.ts'
import type { PanelProps } from './panel.ts'

type Asked = { readonly channel: string; readonly locale: string; readonly data: string }
type Rendered = {
  readonly subject: string | null
  readonly html: string | null
  readonly text: string
  readonly url: string | null
}

const typing_ms = 300

export function TemplatePreview({ row, path }: PanelProps) {
  const channels = row['channels'] as readonly Row[]
  const names = channels.map(one => plain(one['channel']))
  const locales = [
    ...new Set([
      plain(row['default_locale']),
      ...channels.flatMap(one => Object.keys((one['locales'] ?? {}) as Row)),
    ]),
  ]
  const [asked, ask] = useState<Asked>(() => ({
    channel: names[0] ?? '',
    locale: locales[0] ?? '',
    data: JSON.stringify(sampleFor(row), null, 2),
  }))
  const { shown, error } = usePreview(path, useSettled(asked, typing_ms))
  return (
    <section class="card preview">
      <h2>{words.preview}</h2>
      <div class="filters">
        <Choice name="channel" {...{ asked, ask }} values={names} />
        <Choice name="locale" {...{ asked, ask }} values={locales} />
      </div>
      <label class="field">
        <span>{nameOf('data')}</span>
        <textarea
          class="mono"
          rows={5}
          spellcheck={false}
          value={asked.data}
          onInput={event => ask({ ...asked, data: event.currentTarget.value })}
        />
      </label>
      {error !== undefined && <ProblemBox error={error} />}
      {shown && <Message {...shown} />}
    </section>
  )
}

type ChoiceProps = {
  readonly name: 'channel' | 'locale'
  readonly values: readonly string[]
  readonly asked: Asked
  ask(next: Asked): void
}

function Choice({ name, values, asked, ask }: ChoiceProps) {
  return (
    <label>
      <span>{nameOf(name)}</span>
      <select
        value={asked[name]}
        onChange={event => ask({ ...asked, [name]: event.currentTarget.value })}
      >
        {values.map(one => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Shows the last result until the next one is ready, so that the page does not jump. */
function usePreview(path: PanelProps['path'], { channel, locale, data }: Asked) {
  const last = useRef<Rendered>()
  const read = useRead(`preview ${JSON.stringify([path, channel, locale, data])}`, async signal => {
    const body = { channel, locale, data: readJson(data) }
    const made = await callOperation('previewNotificationTemplate', { path, body, signal })
    return made as Rendered
  })
  if (read.data) last.current = read.data
  return { shown: last.current, error: read.error }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(fill(words.bad_json, { error: (error as Error).message }), { cause: error })
  }
}

/** Returns the value after it has not changed for a while. */
function useSettled<T>(value: T, wait_ms: number): T {
  const [settled, set] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => set(value), wait_ms)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

function Message({ subject, html, text, url }: Rendered) {
  return (
    <div class="message">
      {subject !== null && (
        <h3>
          <bdi>{subject}</bdi>
        </h3>
      )}
      {html === null ? <pre tabIndex={0}>{text}</pre> : <Framed html={html} />}
      {url !== null && <p class="soft text">{url}</p>}
    </div>
  )
}

function Framed({ html }: { readonly html: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [loaded, load] = useState(false)
  useEffect(() => {
    const inside = loaded ? frame.current?.contentDocument : null
    if (inside) inside.body.innerHTML = html
  }, [loaded, html])
  return (
    <iframe
      ref={frame}
      src="/console/frame"
      // Without `allow-scripts` no script runs in the frame. `allow-same-origin` lets this page
      // write into the frame.
      sandbox="allow-same-origin"
      title={words.preview}
      onLoad={() => load(true)}
    />
  )
}

/**
 * Makes a sample value for each variable of the texts. The filters of a variable determine the type
 * of its value.
 */
function sampleFor(row: Row): Readonly<Record<string, unknown>> {
  const texts = JSON.stringify(row['channels'])
  const uses = [...texts.matchAll(/\{\{-?\s*([a-z_]\w*)\s*(\|[^}]*)?\}\}/gi)]
  return Object.fromEntries(
    uses.map(([, name = '', filters = '']) => [name, sampleOf(name, filters)]),
  )
}

function sampleOf(name: string, filters: string): unknown {
  if (/date|time/.test(filters)) return new Date().toISOString()
  if (filters.includes('url')) return 'https://example.com/'
  if (/number|money|currency|plural/.test(filters)) return 3
  return name
}
