/**
 * The content of a file: a picture, or the beginning of a text, through its own short-lived URL.
 */
import { useState } from 'preact/hooks'
import { words } from '../language.ts'
import { callOperation, plain } from '../operation.ts'
import { ProblemBox } from '../problem-box.tsx'
import { useRead } from '../use-read.ts'
import type { PanelProps } from './panel.ts'

const text_bytes_max = 64 * 1024

type Kind = 'picture' | 'text' | 'other'

function kindOf(type: string): Kind {
  if (/^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/.test(type)) return 'picture'
  return /^text\/|^application\/(json|xml)$/.test(type) ? 'text' : 'other'
}

type Shown = { readonly url: string; readonly kind: Kind; readonly text: string }

export function FilePreview({ row, path }: PanelProps) {
  const state = plain(row['state'])
  if (state !== 'available') return <p class="soft">{words.preview_later}</p>
  return <Available name={plain(row['filename'])} type={plain(row['detected_type'])} path={path} />
}

type Props = Pick<PanelProps, 'path'> & { readonly name: string; readonly type: string }

function Available({ name, type, path }: Props) {
  const { data, error } = useRead(`file ${JSON.stringify(path)}`, async signal => {
    const query = { disposition: 'inline' }
    const found = await callOperation('getFileDownloadUrl', { path, query, signal })
    const { url } = found as { readonly url: string }
    const kind = kindOf(type)
    const text = kind === 'text' ? await beginningOf(url, signal) : ''
    return { url, kind, text } satisfies Shown
  })
  return (
    <section class="card preview">
      <h2>{words.preview}</h2>
      {error !== undefined && <ProblemBox error={error} />}
      {data && <Content {...data} name={name} />}
    </section>
  )
}

function Content({ url, kind, text, name }: Shown & { readonly name: string }) {
  // The store may have another origin. The policy of this page does not load pictures from there.
  const [elsewhere, set] = useState(false)
  return (
    <>
      {kind === 'picture' && !elsewhere && (
        <img class="picture" src={url} alt={name || words.preview} onError={() => set(true)} />
      )}
      {kind === 'text' && (
        <pre tabIndex={0} aria-label={words.preview}>
          {text}
        </pre>
      )}
      {(kind === 'other' || elsewhere) && <p class="soft">{words.preview_none}</p>}
      <a href={url} download={name}>
        {words.download}
      </a>
    </>
  )
}

async function beginningOf(url: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(url, { signal, credentials: 'omit' })
  const reader = answer.ok ? answer.body?.getReader() : undefined
  if (!reader) throw new Error(words.preview_none)
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; bytes < text_bytes_max;) {
    const { done, value } = await reader.read()
    if (done) return text
    bytes += value.length
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return `${text}\n…`
}
