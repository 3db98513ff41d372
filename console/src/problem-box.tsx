/** An error of the platform: code, detail, request id, and a link to its explanation. */
import { useEffect, useRef } from 'preact/hooks'
import { Problem } from '../../client/src/index.ts'
import { words } from './language.ts'
import { addressOf, Link } from './router.tsx'
import { logInAddress } from './session.ts'
import { isId } from './value.tsx'

type Props = {
  readonly error: unknown
  readonly retry?: (() => void) | undefined
  /** The request may have taken effect. `once`: if it is sent again, it still has one effect. */
  readonly uncertain?: 'once' | 'look' | undefined
}

export function ProblemBox({ error, retry, uncertain }: Props) {
  const box = useRef<HTMLDivElement>(null)
  // In a dialog it stands below the fields.
  useEffect(() => {
    if (box.current?.closest('dialog')) box.current.scrollIntoView({ block: 'nearest' })
  }, [error])
  const problem = error instanceof Problem ? error : null
  const request = problem?.request_id
  if (problem?.code === 'invalid_refresh_token') return <SessionEnded />
  return (
    <div ref={box} class="problem" role="alert">
      <strong>{uncertain ? words.uncertain : words.failed}</strong>
      <p>{sentenceOf(error)}</p>
      {uncertain && <p>{words.uncertain_next[uncertain]}</p>}
      <Faults problem={problem} />
      {problem?.code === 'step_up_required' && (
        <p>
          {words.step_up}{' '}
          <a href={`/account/confirm?${new URLSearchParams({ next: location.pathname })}`}>
            {words.confirm}
          </a>
        </p>
      )}
      {problem && (
        <p class="soft">
          <a href={`/problems/${problem.code}`} target="_blank" rel="noopener">
            <code>{problem.code}</code> ({problem.status}): {words.what_helps}
          </a>
          {request !== undefined && isId(request) && (
            <>
              {' · '}
              <Link to={addressOf(['trace', request])}>
                {words.why} {words.request_id} <code>{request}</code>
              </Link>
            </>
          )}
        </p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          {words.retry}
        </button>
      )}
    </div>
  )
}

/** Somebody ended the session, or it has expired. */
function SessionEnded() {
  return (
    <div class="problem" role="alert">
      <strong>{words.session_ended}</strong>
      <p>
        <a href={logInAddress()}>{words.log_in}</a>
      </p>
    </div>
  )
}

type Fault = { readonly pointer?: string; readonly constraint?: string; readonly detail?: string }

const faultsOf = (problem: Problem | null) => (problem?.body.errors ?? []) as readonly Fault[]

/** Without the regular expression of a field: people read its description. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (!(error instanceof Problem)) return error.message
  const has_pattern = faultsOf(error).some(one => one.constraint === 'pattern')
  return (has_pattern && error.body.title) || error.message
}

/** The invalid fields. */
function Faults({ problem }: { readonly problem: Problem | null }) {
  const errors = faultsOf(problem)
  if (errors.length === 0) return null
  return (
    <ul>
      {errors.map(({ pointer = '', constraint = '', detail }) => (
        <li key={pointer + constraint}>
          <code>{pointer}</code>{' '}
          {constraint === 'pattern' ? words.wrong_form : (detail ?? constraint)}
        </li>
      ))}
    </ul>
  )
}
