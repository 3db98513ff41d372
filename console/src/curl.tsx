/** Shows the same request as a curl command, and text to copy. */
import { useState } from 'preact/hooks'
import { words } from './language.ts'
import { operation, type OperationId } from './operation.ts'

export function curlOf(
  id: OperationId,
  path: Readonly<Record<string, string>> = {},
  body?: unknown,
): string {
  const { method, path: template, example } = operation(id)
  const address = template.replaceAll(/\{([a-z_]+)\}/g, (all, name: string) => {
    const value = path[name]
    return value === undefined ? all : encodeURIComponent(value)
  })
  const sent = body === undefined ? example : body
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(location.origin + address)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(sent === null || sent === undefined || method === 'GET'
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(sent))}`]),
  ]
  return parts.join(' \\\n  ')
}

/** Puts any text in quotes for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function Copied({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, set] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text).catch(() => undefined)
    set(true)
    setTimeout(() => set(false), 1500)
  }
  return (
    <div class="copied">
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <button type="button" onClick={() => void copy()} aria-label={`${words.copy}: ${label}`}>
        {copied ? words.copied : words.copy}
      </button>
    </div>
  )
}
