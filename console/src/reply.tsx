/** What an action did: a sentence with a link to what it made, and the reply. */
import { language, titleOf, verbOf, words } from './language.ts'
import type { OperationId, Row } from './operation.ts'
import type { Action, Happened } from './resource.ts'
import { Link } from './router.tsx'
import { FieldList, titleOfRow } from './value.tsx'

const done: Readonly<Record<string, string>> = {
  create: 'created',
  put: 'saved',
  set: 'saved',
  add: 'added',
  open: 'opened',
  submit: 'submitted',
  change: 'changed',
  update: 'changed',
  edit: 'changed',
  adjust: 'adjusted',
  delete: 'deleted',
  remove: 'removed',
  cancel: 'cancelled',
  ship: 'shipped',
  approve: 'approved',
  reject: 'rejected',
  receive: 'received',
  request: 'requested',
  invite: 'invited',
  retry: 'tried again',
  replay: 'sent again',
}

type Props = Omit<Happened, 'reply'> & {
  readonly action: Action
  readonly data: unknown
  readonly page: PageOf | undefined
}

/** The page of what was made, if it has one. */
export type PageOf = (made: Row) => string | null

export function Reply({ action, row, path, data, page }: Props) {
  const reply = typeof data === 'object' && data !== null ? (data as Row) : null
  // Such a page shows the same as the reply, if that has no secret.
  const to = reply && !hasSecret(reply) ? page?.(reply) : null
  const said = action.says
    ? titleOf(action.says({ reply: reply ?? {}, row, path }))
    : sentenceOf(action.by, reply ?? row)
  return (
    <div role="status">
      <p>
        <strong>{to ? <Link to={to}>{said}</Link> : said}</strong>
      </p>
      {reply && (
        // It may contain a secret that is shown only once.
        <details open={!to}>
          <summary>{words.reply}</summary>
          <FieldList row={reply} />
        </details>
      )}
    </div>
  )
}

/** "Product Blue mug created as draft". */
function sentenceOf(by: OperationId, row: Row): string {
  const [verb = '', ...noun] = by.split(/(?=[A-Z])/)
  const { state } = row
  const title = titleOfRow(row)
  const said = done[verb]
  if (language !== 'en') {
    return [`${verbOf(by)}:`, title, typeof state === 'string' ? `(${state})` : words.done]
      .filter(one => one !== '')
      .join(' ')
  }
  if (said === undefined) return words.done
  const as = verb === 'create' && typeof state === 'string' ? ` as ${state}` : ''
  const what = noun.join(' ').toLowerCase()
  return `${what.charAt(0).toUpperCase()}${what.slice(1)} ${title} ${said}${as}`
}

function hasSecret(reply: Row): boolean {
  return Object.keys(reply).some(name => /secret|password|token|url$|^key$|code/.test(name))
}
