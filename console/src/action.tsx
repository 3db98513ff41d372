/**
 * An action: its button, and the dialog with the form of the request. The dialog sends the request
 * once and shows the reply or the error. If the person sends the form again after a refusal, the new
 * request has a new key. If it is not known whether the request took effect, it has the same key,
 * and the page is read again when the dialog closes. Where the operation compares versions, the request
 * names the version that the person sees, so that nothing is done about an item that has changed.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { Copied, curlOf } from './curl.tsx'
import { fill, labelOf, verbOf, words } from './language.ts'
import { Problem } from '../../client/src/index.ts'
import { bodyOf, draftOf, FormFault, type Draft } from './form-draft.ts'
import { form_words } from './form-words.ts'
import { callOperation, operation, pathNames, takesKey, type Row } from './operation.ts'
import { PathFields } from './path-fields.tsx'
import { ProblemBox } from './problem-box.tsx'
import { isRefusal, keyOf, type RequestKey } from './request-key.ts'
import type { Action, Offer } from './resource.ts'
import { Reply, type PageOf } from './reply.tsx'
import { SchemaFields, type Fault } from './schema-form.tsx'
import { useRead } from './use-read.ts'

type Props = {
  readonly action: Action
  readonly path: Readonly<Record<string, string>>
  /** The item that is acted on. */
  readonly row?: Row
  /** The item that the page shows. */
  readonly main?: boolean
  readonly page?: PageOf
  readonly done?: () => void
  /** The dialog was opened or closed. */
  readonly shown?: (open: boolean) => void
}

export function ActionButton({ action, path, row, page, main = false, done, shown }: Props) {
  const [open, setOpen] = useState(false)
  const set = (next: boolean) => {
    setOpen(next)
    shown?.(next)
  }
  const { summary } = operation(action.by)
  const mainClass = main ? 'main' : undefined
  return (
    <>
      <button
        type="button"
        class={action.hurts ? 'hurts' : mainClass}
        title={summary}
        onClick={() => set(true)}
      >
        {main ? labelOf(action.by).replace(/^Put /, 'Create ') : labelOf(action.by)}
      </button>
      {open && (
        <Opened
          {...{ action, path, ...(row ? { row } : {}), ...(page ? { page } : {}) }}
          done={() => done?.()}
          close={() => set(false)}
        />
      )}
    </>
  )
}

type DialogProps = Pick<Props, 'action' | 'path' | 'row' | 'page'> & {
  /** The request took effect, or may have. */
  done(): void
  close(): void
}

/** The item that the request is about is read first, and as it is now. */
function Opened(props: DialogProps) {
  const { action, row = {} } = props
  const { about } = action
  const { data, error } = useRead(`about ${action.by}`, async signal =>
    about ? ((await callOperation(about.read, { path: about.path(row), signal })) as Row) : row,
  )
  const offers = action.offers?.(row) ?? []
  if (about === undefined) return <ActionDialog {...props} offers={offers} />
  if (error !== undefined) return <ProblemBox error={error} />
  return data ? <ActionDialog {...props} row={data} offers={offers} /> : null
}

type OffersProps = { readonly offers: readonly Offer[]; choose(given: Offer['given']): void }

function Offers({ offers, choose }: OffersProps) {
  return (
    <p class="offers">
      {offers.map(({ label, given }) => (
        <button type="button" key={label} onClick={() => choose(given)}>
          {label}
        </button>
      ))}
    </p>
  )
}

function ActionDialog(props: DialogProps & Pick<OffersProps, 'offers'>) {
  const { action, path, row, page, offers, done, close } = props
  const { by, hurts } = action
  const { method, summary, path: template } = operation(by)
  const dialog = useRef<HTMLDialogElement>(null)
  const asks = action.asks?.(row ?? {}) ?? {}
  const missing = [...pathNames(template).filter(name => !(name in path)), ...Object.keys(asks)]
  const closed = useRef(false)
  const asked = useRequest(action, path, row, () => closed.current && done())
  const { sending, refusal, reply } = asked
  const again = takesKey(by) ? 'once' : 'look'
  const uncertain = asked.mayHaveActed ? again : undefined
  useEffect(() => {
    dialog.current?.showModal()
    // A read without parameters is sent immediately.
    if (method === 'GET' && missing.length === 0) void asked.send()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={`act-${by}`}
      onClose={() => {
        closed.current = true
        close()
        if (asked.mayHaveActed || asked.stale) done()
      }}
      onClick={event => {
        // The second click of a double click may be outside, because the dialog has become smaller.
        if (event.target === dialog.current && event.detail < 2) dialog.current?.close()
      }}
    >
      <form
        onKeyDown={event => hurts && refuseEnter(event)}
        onSubmit={event => {
          event.preventDefault()
          if (reply) dialog.current?.close()
          else void asked.send()
        }}
      >
        <h2 id={`act-${by}`}>{labelOf(by)}</h2>
        <p class="soft">{summary}</p>
        {reply ? (
          <Reply
            {...{ action, row: row ?? {}, page, data: reply.data }}
            path={{ ...path, ...asked.more }}
          />
        ) : (
          <Fields {...{ action, missing, offers, asked }} />
        )}
        {refusal !== null && !(refusal instanceof FormFault) && (
          <ProblemBox error={refusal} uncertain={uncertain} />
        )}
        <footer>
          <button type="button" onClick={() => dialog.current?.close()}>
            {reply ? words.close : words.cancel}
          </button>
          {!reply && <SendButton {...{ action, sending }} />}
        </footer>
        <details>
          <summary>{words.curl}</summary>
          <Copied text={curlOf(by, { ...path, ...asked.more })} label={words.curl} />
        </details>
      </form>
    </dialog>
  )
}

type FieldsProps = {
  readonly action: Action
  readonly missing: readonly string[]
  readonly offers: readonly Offer[]
  readonly asked: ReturnType<typeof useRequest>
}

function Fields({ action: { by, hurts }, missing, offers, asked }: FieldsProps) {
  const { body, example } = operation(by)
  return (
    <>
      <PathFields names={missing} draft={asked.more} set={asked.setMore} />
      <Offers offers={offers} choose={given => asked.form.set({ ...asked.form.draft, ...given })} />
      {body && <SchemaFields schema={body} example={example} {...asked.form} />}
      {hurts && <p class="warning">{words.hurts}</p>}
    </>
  )
}

/** What cannot be undone is sent by its own button, never by Enter in a field. */
function refuseEnter(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
}

function SendButton({ action: { by, hurts }, sending }: { action: Action; sending: boolean }) {
  return (
    <button class={hurts ? 'hurts' : 'main'} disabled={sending}>
      {verbOf(by)}
    </button>
  )
}

function useRequest(
  { by, from, asks, calls, notes }: Action,
  path: Readonly<Record<string, string>>,
  row: Row | undefined,
  settled: () => void,
) {
  const { body } = operation(by)
  const given = {
    // A body with a version is about the version that the person sees.
    ...(row && body?.required?.includes('version') ? { version: row['version'] } : {}),
    ...(row && from?.(row)),
  }
  const currency = typeof row?.['currency'] === 'string' ? row['currency'] : null
  const [more, setMore] = useState<Readonly<Record<string, string>>>(() => asks?.(row ?? {}) ?? {})
  const [draft, setDraft] = useState<Draft>(() => (body ? draftOf(body, given, currency) : {}))
  const [sending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<unknown>(null)
  const [reply, setReply] = useState<{ readonly data: unknown } | null>(null)
  const [mayHaveActed, setMayHaveActed] = useState(false)
  const stale = refusal instanceof Problem && refusal.code === 'precondition_failed'
  const send = async () => {
    setSending(true)
    setRefusal(null)
    let key: RequestKey | undefined
    try {
      const request = {
        path: { ...path, ...more },
        ...(asks ? { query: more } : {}),
        ...(body ? { body: bodyOf(body, draft, { currency, at: '' }) } : {}),
      }
      key = takesKey(by) ? keyOf([by, request]) : undefined
      setMayHaveActed(operation(by).method !== 'GET')
      const headers = { ...seen(by, row), ...(key && { 'idempotency-key': key.value }) }
      setReply({ data: await callOperation(by, { ...request, headers }) })
      key?.forget()
    } catch (error) {
      if (isRefusal(error)) {
        key?.forget()
        setMayHaveActed(false)
      }
      setRefusal(error)
    } finally {
      setSending(false)
      settled()
    }
  }
  const form = {
    draft,
    currency,
    required: Object.keys(given),
    faults: faultsIn(refusal),
    called: calls?.(row ?? {}) ?? {},
    notes: notes?.(row ?? {}) ?? {},
    set: setDraft,
  }
  return { more, setMore, form, sending, refusal, reply, mayHaveActed, stale, send }
}

function seen(by: Action['by'], row: Row | undefined): Readonly<Record<string, string>> {
  const version = row?.['version']
  return operation(by).compares && typeof version === 'number' ? { 'if-match': `"${version}"` } : {}
}

/** Those of fields. They stand beside these. */
function faultsIn(refusal: unknown): readonly Fault[] {
  if (refusal instanceof FormFault) {
    return [{ pointer: refusal.pointer, constraint: refusal.rule, detail: sentenceOf(refusal) }]
  }
  return refusal instanceof Problem ? (refusal.body.errors ?? []) : []
}

function sentenceOf({ rule, message }: FormFault): string {
  if (rule === 'json') return fill(words.bad_json, { error: message })
  if (rule === 'pairs') return `${form_words.pairs_wrong}: ${message}`
  if (rule === 'currency') return form_words.currency_first
  return fill(form_words.amount_wrong, { amount: message })
}
