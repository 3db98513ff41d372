/**
 * Calls whose model waits for the yes of the person: what it wants to do, with which arguments. Each is
 * answered once. The platform performs the arguments that it has stored, which are those shown here.
 */
import { useState } from 'preact/hooks'
import { nameOf, words } from '../language.ts'
import { useLive } from '../live.ts'
import {
  callOperation,
  findOperation,
  plain,
  type OperationId,
  type Page,
  type Row,
} from '../operation.ts'
import { ProblemBox } from '../problem-box.tsx'
import { isRefusal, keyOf } from '../request-key.ts'
import { addressOf, Link } from '../router.tsx'
import { useRead } from '../use-read.ts'
import { Time } from '../value.tsx'
import { CallSteps, stepsOf, type ToolCall } from './call-steps.tsx'

const shown_max = 20

export function Approvals() {
  const [answered, keep] = useState<readonly Row[]>([])
  const { data, error, reload } = useRead('approvals', readWaiting)
  useLive(['inference.'], reload)
  return (
    <>
      {error !== undefined && <ProblemBox error={error} retry={reload} />}
      {data?.length === 0 && <p class="empty">{words.approvals_none}</p>}
      {data?.map(row => (
        <Waiting
          key={plain(row['id'])}
          row={row}
          done={answer => {
            keep(all => [answer, ...all])
            reload()
          }}
        />
      ))}
      {answered.map(row => (
        <Answered key={plain(row['id'])} row={row} />
      ))}
    </>
  )
}

async function readWaiting(signal: AbortSignal): Promise<Row[]> {
  const query = { waits_for: 'approval', limit: shown_max }
  const { data } = (await callOperation('listInferences', { query, signal })) as Page
  const read = async ({ id }: Row) =>
    (await callOperation('getInference', { path: { id: plain(id) }, signal })) as Row
  return await Promise.all(data.map(read))
}

function Waiting({ row, done }: { readonly row: Row; done(answer: Row): void }) {
  const [chosen, choose] = useState<ReadonlyMap<string, boolean>>(new Map())
  const { sending, refusal, send } = useAnswer(row, done)
  const steps = stepsOf(row)
  const asked = steps.flatMap(step => step.tool_calls).filter(one => one.state === 'asked')
  const decide = (id: string, approve: boolean) => {
    const next = new Map(chosen).set(id, approve)
    choose(next)
    // The model goes on when it has an answer to each of its calls.
    if (asked.every(one => next.has(one.id))) void send(next)
  }
  return (
    <section class="card" aria-busy={sending}>
      <p class="soft foot">
        <Time value={plain(row['created_at'])} />
        <Link to={addressOf(['inference', 'inferences', plain(row['id'])])}>{words.open}</Link>
      </p>
      {asked.map(call => (
        <Wish
          key={call.id}
          call={call}
          chosen={chosen.get(call.id)}
          busy={sending}
          decide={approve => decide(call.id, approve)}
        />
      ))}
      {refusal !== null && <ProblemBox error={refusal} />}
    </section>
  )
}

type WishProps = {
  readonly call: ToolCall
  readonly chosen: boolean | undefined
  readonly busy: boolean
  decide(approve: boolean): void
}

function Wish({ call: { name, arguments: given }, chosen, busy, decide }: WishProps) {
  const known = findOperation(name as OperationId)
  return (
    <>
      <h2>{known?.summary ?? name}</h2>
      <p class="soft">
        <code>{known ? `${name} · ${known.method} ${known.path}` : name}</code>
      </p>
      <pre tabIndex={0} aria-label={nameOf('arguments')}>
        {given === null ? '–' : readable(given)}
      </pre>
      <p class="choices">
        <button
          type="button"
          class="main"
          disabled={busy}
          aria-pressed={chosen === true}
          onClick={() => decide(true)}
        >
          {words.allow_once}
        </button>
        <button
          type="button"
          disabled={busy}
          aria-pressed={chosen === false}
          onClick={() => decide(false)}
        >
          {words.refuse}
        </button>
      </p>
    </>
  )
}

/** Signs that are not seen, or turn the order of others around, are written as escapes. */
function readable(given: string): string {
  return JSON.stringify(JSON.parse(given), null, 2).replaceAll(
    /[\p{Cf}\p{Zl}\p{Zp}]/gu,
    sign => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

function Answered({ row }: { readonly row: Row }) {
  const { text } = (row['output'] ?? {}) as { readonly text?: string }
  const id = plain(row['id'])
  return (
    <div role="status">
      <CallSteps row={row} />
      <section class="card">
        {text && <p class="answer">{text}</p>}
        <p class="soft foot">
          <Link to={addressOf(['inference', 'inferences', id])}>{words.open}</Link>
        </p>
      </section>
    </div>
  )
}

/** A request whose outcome is not known is sent again with its key, so its answer counts once. */
function useAnswer(row: Row, done: (answer: Row) => void) {
  const [sending, setSending] = useState(false)
  const [refusal, refuse] = useState<unknown>(null)
  const send = async (chosen: ReadonlyMap<string, boolean>) => {
    const answers = [...chosen].map(([tool_call_id, approve]) => {
      return { type: 'approval', tool_call_id, approve }
    })
    const body = { model: row['model'], previous_id: row['id'], input: answers }
    const key = keyOf(['createInference', body])
    setSending(true)
    refuse(null)
    try {
      const headers = { 'idempotency-key': key.value }
      const answer = (await callOperation('createInference', { body, headers })) as Row
      key.forget()
      done(answer)
    } catch (error) {
      if (isRefusal(error)) key.forget()
      refuse(error)
    } finally {
      setSending(false)
    }
  }
  return { sending, refusal, send }
}
