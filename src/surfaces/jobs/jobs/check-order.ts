/**
 * Checks whether an order can become a job: its type and version exist, its parameters match, and
 * its times are possible. The result contains everything that the row needs.
 */
import { newId, nil_id, parseTime, type FieldError, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import type { JobOrder } from '../face.ts'
import { priority_default } from '../schemas.ts'
import type { KnownType } from '../types/job-types.ts'
import { runOf } from '../steps/insert-runs.ts'
import type { NewJob } from './insert-jobs.ts'

/** These have no account: other surfaces, and schedules of the platform. */
const platform_principal = nil_id

type CheckDeps = Pick<Deps, 'types' | 'kernel' | 'files'>

const day_ms = 86_400_000

export async function checkOrder(
  reader: Reader,
  deps: CheckDeps,
  order: JobOrder,
  pointer = '',
): Promise<NewJob> {
  const type = await deps.types.resolve(reader, order.type, order.schema_version)
  await checkInput(deps, type, order, pointer)
  checkTimes(deps, order, pointer)
  if (order.input_ref !== undefined) await requireFile(reader, deps, order, pointer)
  const { max_attempts = type.max_attempts } = order
  if (max_attempts > type.max_attempts) throw invalid(`${pointer}/max_attempts`, 'maximum')
  const own = deps.types.builtIn(type)
  if (own?.workflow?.checked && order.principal_id === undefined) {
    throw new Error(`a run of ${type.type} needs a principal, because its permission is checked`)
  }
  return {
    id: order.id ?? newId(),
    tenant_id: order.tenant_id,
    type: type.type,
    schema_version: type.schema_version,
    parameters: order.parameters,
    input_ref: order.input_ref ?? null,
    principal_id: order.principal_id ?? platform_principal,
    session_id: order.session_id ?? null,
    operation: order.operation ?? `submit ${type.type}`,
    idempotency_key: order.idempotency_key ?? null,
    request_fingerprint: order.request_fingerprint ?? null,
    priority: order.priority ?? priority_default,
    scheduled_at: order.scheduled_at ?? null,
    deadline_at: order.deadline_at ?? null,
    max_attempts,
    retry_of_job_id: order.retry_of_job_id ?? null,
    run: runOf(own, order.parameters),
    blocked: (order.depends_on?.length ?? 0) > 0,
  }
}

async function checkInput(
  { kernel: { settings } }: CheckDeps,
  { fits }: KnownType,
  { parameters, input_ref }: JobOrder,
  pointer: string,
): Promise<void> {
  if (parameters !== undefined && input_ref !== undefined) {
    throw invalid(`${pointer}/input_ref`, 'oneOf')
  }
  // A file replaces the parameters. The type's own code checks its content.
  if (input_ref !== undefined) return
  const given = parameters ?? {}
  if (Buffer.byteLength(JSON.stringify(given)) > settings['jobs.parameters_bytes']) {
    throw problem('content_too_large', {
      detail: `Parameters have at most ${settings['jobs.parameters_bytes']} bytes as JSON.`,
    })
  }
  const errors = await fits.parameters(given, `${pointer}/parameters`)
  if (errors.length > 0) throw problem('validation_failed', { errors })
}

function checkTimes(
  { kernel: { clock, settings } }: CheckDeps,
  { scheduled_at, deadline_at }: JobOrder,
  pointer: string,
): void {
  const now_ms = clock.nowMs()
  const begin_ms = Math.max(now_ms, scheduled_at === undefined ? now_ms : parseTime(scheduled_at))
  if (begin_ms > now_ms + settings['jobs.schedule_ahead_days'] * day_ms) {
    throw invalid(`${pointer}/scheduled_at`, 'maximum')
  }
  if (deadline_at !== undefined && parseTime(deadline_at) <= begin_ms) {
    const error = { location: 'body', pointer: `${pointer}/deadline_at`, constraint: 'future' }
    throw problem('deadline_in_past', { errors: [error as FieldError] })
  }
}

async function requireFile(
  reader: Reader,
  { files }: CheckDeps,
  { tenant_id, principal_id, session_id, input_ref = '' }: JobOrder,
  pointer: string,
): Promise<void> {
  const reading = {
    tenant_id,
    principal_id: principal_id ?? null,
    session_id: session_id ?? null,
  }
  if (await files()?.isAvailable(reader, reading, input_ref)) return
  const error = { location: 'body', pointer: `${pointer}/input_ref`, constraint: 'available' }
  throw problem('input_not_available', { errors: [error as FieldError] })
}

function invalid(pointer: string, constraint: string) {
  const error: FieldError = { location: 'body', pointer, constraint }
  return problem('validation_failed', { errors: [error] })
}
