/**
 * Writes one step under the lease of the attempt, in one statement: nothing is written if the lease
 * is lost. The attempt's row is locked last and shortly, because one statement renews all leases of a
 * process. A step that is recorded shows that the job goes on, so lost leases before it do not count.
 */
import { Type, type Static } from 'typebox'
import { JobFailure, nullable, sql, SqlState } from '#dodeca/kernel'
import type { Db, Reader, Sql, StepKind, StoredStep, Tx } from '#dodeca/kernel'
import type { Taken } from '../attempts/claims/claim-jobs.ts'

export type Lease = Pick<
  Taken,
  | 'attempt_id'
  | 'attempt_no'
  | 'token_hash'
  | 'job_id'
  | 'tenant_id'
  | 'principal_id'
  | 'session_id'
>

export const Stored = Type.Object({
  name: Type.String(),
  kind: Type.Unsafe<StepKind>(Type.String()),
  state: Type.Unsafe<StoredStep['state']>(Type.String()),
  attempts: Type.Integer(),
  result: Type.Unknown(),
  error_code: nullable(Type.String()),
  until: nullable(Type.String()),
  is_due: Type.Boolean(),
})

export const stored = sql`s.name, s.kind, s.state, s.attempts, s.result, s.error_code, s.until,
  coalesce(s.until <= kernel.now(), false) as is_due`

export type NewStep = {
  readonly name: string
  readonly sequence: number
  readonly kind: StepKind
  readonly state: StoredStep['state']
  readonly attempts?: number
  /** JSON. */
  readonly result?: string | null
  readonly error_code?: string | null
  readonly until?: Sql | null
  readonly awaited?: string | null
  readonly position?: number | null
  readonly child_job_id?: string | null
}

/** The platform's time after so many seconds. Timers have milliseconds. */
export function after(seconds: number): Sql {
  return sql`date_trunc('milliseconds', kernel.now() + make_interval(secs => ${seconds}::float8))`
}

/** What ends an attempt that may write no more. */
export type Ended = { lost(): Error; cancelled(): Error }

const held = (lease: Lease): Sql => sql`
  -- any tenant: a lease token is for one attempt
  select a.tenant_id, a.job_id, j.cancel_requested_at is not null as cancel_requested
  from jobs.job_attempts a
  join jobs.jobs j on j.tenant_id = a.tenant_id and j.id = a.job_id
  where a.id = ${lease.attempt_id} and a.lease_token = ${lease.token_hash}
    and a.state = 'running' and a.leased_until > now()
  for no key update of a`

const Held = Type.Object({ cancel_requested: Type.Boolean() })

/** For a step that takes several statements. Attempts are locked before runs. */
export async function holdRun(tx: Tx, lease: Lease, ended: Ended): Promise<void> {
  const found = await tx.maybe(
    Held,
    sql`with held as materialized (${held(lease)}) select cancel_requested from held`,
  )
  if (!found) throw ended.lost()
  if (found.cancel_requested) throw ended.cancelled()
  await tx.run(sql`
    select from jobs.runs where tenant_id = ${lease.tenant_id} and job_id = ${lease.job_id}
    for no key update`)
}

const Recorded = Type.Object({
  cancel_requested: Type.Boolean(),
  is_written: Type.Boolean(),
  until: nullable(Type.String()),
  is_due: nullable(Type.Boolean()),
})

/**
 * `unless_cancelled`: nothing is written if the job is to be cancelled. A call outside that has
 * happened is recorded all the same.
 */
export async function recordStep(
  reader: Reader,
  lease: Lease,
  ended: Ended,
  step: NewStep,
  unless_cancelled: boolean,
): Promise<StoredStep> {
  const source = sql`from held where not cancel_requested or not ${unless_cancelled}::boolean`
  const row = await reader.maybe(
    Recorded,
    sql`
    with ${underLease(lease)}, written as (
      ${insertStep(step, source)}
      returning s.until, coalesce(s.until <= kernel.now(), false) as is_due
    )
    select held.cancel_requested, w.is_due is not null as is_written, w.until, w.is_due
    from held left join written w on true`,
  )
  if (!row) throw ended.lost()
  if (!row.is_written) throw ended.cancelled()
  return { ...recorded(step), until: row.until, is_due: row.is_due ?? false }
}

class NotHeld extends Error {
  override readonly name = 'NotHeld'
}

const null_violation = '23502'

/**
 * Records a step that is done together with COMMIT: one round trip less. Where the lease is lost or
 * the job is to be cancelled, the row has no job, so that the transaction fails.
 */
export async function commitStep(
  db: Db,
  lease: Lease,
  ended: Ended,
  effect: (tx: Tx) => Promise<NewStep>,
): Promise<StoredStep> {
  try {
    return await db.tx(async tx => {
      const step = await effect(tx)
      const source = sql`from (values (true)) one left join held on not held.cancel_requested`
      tx.atCommit(sql`with ${underLease(lease)} ${insertStep(step, source)}`, {
        refused: error =>
          error instanceof SqlState && error.code === null_violation ? new NotHeld() : error,
      })
      return recorded(step)
    })
  } catch (error) {
    if (!(error instanceof NotHeld)) throw error
    const found = await db.maybe(
      Held,
      sql`with held as materialized (${held(lease)}) select cancel_requested from held`,
    )
    throw found?.cancel_requested ? ended.cancelled() : ended.lost()
  }
}

function recorded({ name, kind, state, attempts = 0, result, error_code = null }: NewStep) {
  const value: unknown = typeof result === 'string' ? JSON.parse(result) : null
  return { name, kind, state, attempts, result: value, error_code, until: null, is_due: false }
}

/** The first attempt has no losses before it. */
const underLease = (lease: Lease): Sql =>
  sql`held as materialized (${held(lease)})${
    lease.attempt_no === 1
      ? sql.empty
      : sql`, lost as (
        update jobs.jobs j set losses = 0 from held
        where j.tenant_id = held.tenant_id and j.id = held.job_id and j.losses > 0
      )`
  }`

function insertStep(step: NewStep, source: Sql): Sql {
  const { name, kind, state, attempts = 0, result = null, error_code = null, until = null } = step
  const { awaited = null, position = null, child_job_id = null } = step
  const is_over = state !== 'waiting' && state !== 'retrying'
  return sql`
    insert into jobs.job_steps as s (tenant_id, job_id, name, sequence, kind, state, attempts,
      result, error_code, until, awaited, position, child_job_id, completed_at)
    select held.tenant_id, held.job_id, ${name}, ${step.sequence}, ${kind}, ${state}, ${attempts},
      ${result}::json, ${error_code}::text, ${until ?? sql`null::timestamptz`},
      ${awaited}::text, ${position}::bigint, ${child_job_id}::uuid,
      ${is_over ? sql`kernel.now()` : sql`null::timestamptz`}
    ${source}
    on conflict (tenant_id, job_id, name) do update
    set state = excluded.state, attempts = excluded.attempts, result = excluded.result,
      error_code = excluded.error_code, until = excluded.until,
      completed_at = excluded.completed_at`
}

/** JSON of at most so many bytes. */
export function resultText(value: unknown, bytes_max: number): string {
  const text = JSON.stringify(value ?? null)
  if (Buffer.byteLength(text) > bytes_max) throw new JobFailure('step_result_too_large')
  return text
}

/** The step as it is stored now. */
export async function readStep(
  reader: Reader,
  { tenant_id, job_id }: Pick<Lease, 'tenant_id' | 'job_id'>,
  name: string,
): Promise<Static<typeof Stored>> {
  return await reader.one(
    Stored,
    sql`
    select ${stored} from jobs.job_steps s
    where s.tenant_id = ${tenant_id} and s.job_id = ${job_id} and s.name = ${name}`,
  )
}
