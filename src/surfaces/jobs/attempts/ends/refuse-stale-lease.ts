/**
 * Why the reported end of an attempt was not taken: its lease is stale, the job has a newer version, or
 * the attempt has ended before, with the same end or another.
 */
import { Type, type Static } from 'typebox'
import { sql, type Db } from '#dodeca/kernel'
import { attemptEndOf, type Ending } from './decide-end.ts'
import type { Shown } from './hold-attempts.ts'
import type { Result } from './result.ts'

export type Finish = Shown & { readonly ending: Ending; readonly result: Result | null }

export type Finished =
  | { readonly said: 'done' | 'repeated'; readonly tenant_id: string; readonly job_id: string }
  | { readonly said: 'lease_lost' | 'attempt_finished' }
  /** This end of the batch could not be written, because a hook failed. */
  | { readonly said: 'broken'; readonly error: unknown }
  | {
      readonly said: 'version_conflict'
      readonly current_version: number
      readonly cancel_requested: boolean
    }

export const lease_lost: Finished = { said: 'lease_lost' }

const Seen = Type.Object({
  attempt_id: Type.String(),
  tenant_id: Type.String(),
  job_id: Type.String(),
  state: Type.String(),
  leased: Type.Boolean(),
  version: Type.Integer(),
  cancel_requested: Type.Boolean(),
})

export async function reasonsOf(
  db: Db,
  finishes: readonly Finish[],
): Promise<Map<string, Finished>> {
  const rows = await db.many(
    Seen,
    sql`
    -- any tenant: a lease token is for one attempt
    select a.id as attempt_id, a.tenant_id, a.job_id, a.state, a.leased_until > now() as leased,
      j.version, j.cancel_requested_at is not null as cancel_requested
    from unnest(
      ${finishes.map(one => one.attempt_id)}::uuid[],
      ${finishes.map(one => one.token_hash)}::bytea[]
    ) shown (attempt_id, token_hash)
    join jobs.job_attempts a on a.id = shown.attempt_id and a.lease_token = shown.token_hash
    join jobs.jobs j on j.tenant_id = a.tenant_id and j.id = a.job_id`,
  )
  const given = new Map(finishes.map(one => [one.attempt_id, one]))
  return new Map(
    rows.map(row => [row.attempt_id, reasonOf(row, given.get(row.attempt_id)?.ending)] as const),
  )
}

function reasonOf(row: Static<typeof Seen>, ending: Ending | undefined): Finished {
  const { state, leased, tenant_id, job_id, version, cancel_requested } = row
  if (state === 'running') {
    if (!leased) return lease_lost
    return { said: 'version_conflict', current_version: version, cancel_requested }
  }
  if (state === 'lease_expired' || state === 'expired') return lease_lost
  if (ending && attemptEndOf(ending) === state) return { said: 'repeated', tenant_id, job_id }
  return { said: 'attempt_finished' }
}
