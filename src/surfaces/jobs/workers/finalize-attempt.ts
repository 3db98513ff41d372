/**
 * The end of an attempt, as its worker reports it. The result is checked first. Then one statement
 * checks lease and version. A repeated report gets the same reply, and another outcome or result is
 * refused, because only the first one is stored.
 */
import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { nullable, sql, type Db, type FieldError, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { Finalize } from '../attempts/engine.ts'
import { ResultTooLarge } from '../attempts/ends/result.ts'
import { Bytes, type JobView } from '../schemas.ts'
import { viewJob } from '../jobs/view-job.ts'
import type { FoundAttempt } from './find-attempt.ts'
import type { FinalizeAttempt } from './schemas.ts'

type FinalizeDeps = Pick<Deps, 'kernel' | 'types' | 'engine'>

export async function finalizeAttempt(
  db: Db,
  deps: FinalizeDeps,
  attempt: FoundAttempt,
  said: FinalizeAttempt,
): Promise<JobView> {
  await deps.types.fresh(db)
  await requireResult(db, deps, attempt, said)
  const { lease_token, version } = said
  const finished = await deps.engine
    .finalize({
      attempt_id: attempt.id,
      lease_token,
      version,
      ending: endingOf(said),
      ...resultOf(said),
    })
    .catch(tooLarge)
  switch (finished.said) {
    case 'lease_lost':
    case 'attempt_finished':
      throw problem(finished.said)
    case 'version_conflict': {
      const { current_version, cancel_requested } = finished
      throw problem('version_conflict', { more: { current_version, cancel_requested } })
    }
    case 'broken':
      throw finished.error
    case 'repeated':
      if (!(await isSame(db, attempt, said))) throw problem('attempt_finished')
      break
    case 'done':
  }
  const { tenant_id, job_id } = attempt
  const job = await viewJob(db, deps, { tenant_id, job_id })
  if (!job) throw problem('job_attempt_not_found')
  return job
}

const First = Type.Object({
  result_ref: nullable(Type.String()),
  stored: Type.Boolean(),
  body: nullable(Bytes),
})

const Failed = Type.Object({ error_code: nullable(Type.String()) })

/**
 * Whether the report is the one that ended the attempt. An attempt that was cancelled or late as
 * well has no error of its worker.
 */
async function isSame(
  reader: Reader,
  attempt: FoundAttempt,
  said: FinalizeAttempt,
): Promise<boolean> {
  if (said.outcome === 'succeeded') return await hasResult(reader, attempt, said)
  if (said.outcome !== 'failed') return true
  const { error_code } = await reader.one(
    Failed,
    sql`
    select error_code from jobs.job_attempts
    where tenant_id = ${attempt.tenant_id} and id = ${attempt.id}`,
  )
  const unknown = error_code === null || error_code === 'deadline_exceeded'
  return unknown || error_code === said.error?.code
}

/**
 * Whether the job has the result that the worker reports again. A job that has succeeded never runs
 * again, so its result is that of this attempt. If the result is deleted, it counts as the same.
 */
async function hasResult(
  reader: Reader,
  { tenant_id, job_id }: FoundAttempt,
  { result, result_ref }: FinalizeAttempt,
): Promise<boolean> {
  const first = await reader.maybe(
    First,
    sql`
    select j.result_ref, r.id is not null as stored, r.body
    from jobs.jobs j
    left join jobs.job_results r on r.tenant_id = j.tenant_id and r.id = j.result_ref
    where j.tenant_id = ${tenant_id} and j.id = ${job_id}`,
  )
  if (!first || result === undefined) return (first?.result_ref ?? null) === (result_ref ?? null)
  if (first.result_ref === null) return false
  if (!first.stored) return true
  if (first.body === null) return false
  // As stored: some values of JavaScript have another form in JSON. The order of members is free.
  const given: unknown = JSON.parse(JSON.stringify(result))
  return isDeepStrictEqual(given, JSON.parse(first.body.toString()))
}

function endingOf({ outcome, error, after_seconds }: FinalizeAttempt): Finalize['ending'] {
  if (outcome === 'released') {
    return after_seconds === undefined ? { outcome } : { outcome, after_seconds }
  }
  if (outcome !== 'failed') return { outcome }
  if (!error) throw problem('validation_failed', { errors: [at('/error', 'required')] })
  return { outcome, error }
}

function resultOf({ outcome, result, result_ref }: FinalizeAttempt): Pick<Finalize, 'result'> {
  if (outcome !== 'succeeded') return {}
  if (result_ref !== undefined) return { result: { result_ref } }
  return result === undefined ? {} : { result: { value: result } }
}

const Stored = Type.Object({ there: Type.Boolean() })

/**
 * Only a success has a result, and it is either JSON that matches the type or bytes of this
 * attempt.
 */
async function requireResult(
  reader: Reader,
  { types }: Pick<Deps, 'types'>,
  attempt: FoundAttempt,
  { outcome, result, result_ref }: FinalizeAttempt,
): Promise<void> {
  if (result !== undefined && result_ref !== undefined) {
    throw problem('validation_failed', { errors: [at('/result_ref', 'oneOf')] })
  }
  if (outcome !== 'succeeded') return
  if (result_ref === undefined) return await types.checkResult(reader, attempt, result ?? null)
  const { there } = await reader.one(
    Stored,
    sql`
    select exists (select from jobs.job_results
      where id = ${result_ref} and tenant_id = ${attempt.tenant_id}
        and attempt_id = ${attempt.id}) as there`,
  )
  if (!there) throw problem('result_invalid', { errors: [at('/result_ref', 'stored')] })
}

function at(pointer: string, constraint: string): FieldError {
  return { location: 'body', pointer, constraint }
}

function tooLarge(error: unknown): never {
  if (!(error instanceof ResultTooLarge)) throw error
  throw problem('content_too_large', { detail: 'Larger results are stored as bytes before.' })
}
