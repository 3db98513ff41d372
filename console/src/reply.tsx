/** What an action did: a sentence with a link to what it made, and the reply. */
import { language, titleOf, verbOf, words } from './language.ts'
import type { OperationId, Row } from './operation.ts'
import { offeredPlaces } from './places/places.ts'
import { itemOf, type Action, type Happened } from './resource.ts'
import { addressOf, Link } from './router.tsx'
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

type Props = Omit<Happened, 'reply'> & { readonly action: Action; readonly data: unknown }

export function Reply({ action, row, path, data }: Props) {
  const reply = typeof data === 'object' && data !== null ? (data as Row) : null
  const to = reply && pageOf(action.by, reply)
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

/** The page of what was made. Its reply has no secret, because that page shows the same. */
function pageOf(by: OperationId, reply: Row): string | null {
  for (const place of offeredPlaces()) {
    for (const one of place.resources) {
      const { create, read, list, key = ['id'] } = one
      const is_shown = read !== undefined || list !== undefined
      if (create === by && is_shown && key.every(name => name in reply) && !hasSecret(reply)) {
        return addressOf([place.name, one.name, itemOf(one, reply)])
      }
    }
  }
  return null
}

function hasSecret(reply: Row): boolean {
  return Object.keys(reply).some(name => /secret|password|token|url$|^key$|code/.test(name))
}
