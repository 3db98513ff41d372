/** Creates a call and the job that makes it, in the caller's transaction. */
import type { Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { Call } from '../operations/call.ts'
import { createCall } from '../operations/create-call.ts'
import type { CallDraft } from '../operations/draft-call.ts'
import { run_type, shownKey } from './job-types.ts'

export const deadline_default_ms = 3_600_000

type Submitted = {
  readonly id: string
  readonly job_id: string
  readonly tenant_id: string
  readonly principal_id: string
  readonly session_id: string | null
  readonly priority?: number
}

export async function submitCall(
  tx: Tx,
  deps: Deps,
  draft: CallDraft,
  { id, job_id, ...job }: Submitted,
): Promise<Call> {
  const call = await createCall(tx, deps, draft, { id, job_id })
  await deps.jobs.submit(tx, {
    ...job,
    id: job_id,
    type: run_type,
    parameters: { operation_id: id },
    ...shownKey(draft.key ?? null, job_id),
    deadline_at: call.deadline_at,
  })
  return call
}
