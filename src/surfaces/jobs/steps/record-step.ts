/**
 * Writes one step under the lease of the attempt, in one statement: nothing is written if the lease
 * is lost. The attempt's row is locked last and shortly, because one statement renews all leases of a
 * process. A step that is recorded shows that the job goes on, so lost leases before it do not count.
 */
import { Type, type Static } from 'typebox'
import { JobFailure, nullable, sql } from '#dodeca/kernel'
import type { Reader, Sql, StepKind, StoredStep, Tx } from '#dodeca/kernel'
import type { Taken } from '../attempts/claims/claim-jobs.ts'

export type Lease = Pick<
  Taken,
  'attempt_id' | 'token_hash' | 'job_id' | 'tenant_id' | 'principal_id' | 'session_id'
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
  step: nullable(Type.Object({ ...Stored.properties, until: nullable(Type.String()) })),
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
): Promise<Static<typeof Stored>> {
  const { name, kind, state, attempts = 0, result = null, error_code = null, until = null } = step
  const { awaited = null, position = null, child_job_id = null } = step
  const row = await reader.maybe(
    Recorded,
    sql`
    with held as materialized (${held(lease)}),
    lost as (
      update jobs.jobs j set losses = 0 from held
      where j.tenant_id = held.tenant_id and j.id = held.job_id and j.losses > 0
    ),
    written as (
      insert into jobs.job_steps as s (tenant_id, job_id, name, sequence, kind, state, attempts,
        result, error_code, until, awaited, position, child_job_id, completed_at)
      select tenant_id, job_id, ${name}, ${step.sequence}, ${kind}, ${state}, ${attempts},
        ${result}::json, ${error_code}::text, ${until ?? sql`null::timestamptz`},
        ${awaited}::text, ${position}::bigint, ${child_job_id}::uuid,
        case when ${state}::text not in ('waiting', 'retrying') then kernel.now() end
      from held where not cancel_requested or not ${unless_cancelled}::boolean
      on conflict (tenant_id, job_id, name) do update
      set state = excluded.state, attempts = excluded.attempts, result = excluded.result,
        error_code = excluded.error_code, until = excluded.until,
        completed_at = excluded.completed_at
      returning ${stored}
    )
    select held.cancel_requested, case when w.name is not null then jsonb_build_object(
      'name', w.name, 'kind', w.kind, 'state', w.state, 'attempts', w.attempts,
      'result', null, 'error_code', w.error_code, 'is_due', w.is_due,
      'until', to_char(w.until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as step
    from held left join written w on true`,
  )
  if (!row) throw ended.lost()
  if (!row.step) throw ended.cancelled()
  return { ...row.step, result: result === null ? null : JSON.parse(result) }
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
