/**
 * Stores the reports of a worker during an attempt: a line of progress, and a checkpoint for the
 * next attempt. Both are written under the lease and take the next number of the job's sequence.
 * The job's version does not change.
 */
import { Type, type Static } from 'typebox'
import { sql, type Db, type JobStep, type Sql } from '#dodeca/kernel'
import type { HeldLease } from './heartbeat.ts'

export const Noted = Type.Object({
  sequence: Type.Integer(),
  cancel_requested: Type.Boolean(),
  version: Type.Integer(),
})
export type Noted = Static<typeof Noted>

const Row = Type.Object({
  ...Noted.properties,
  job_id: Type.String(),
  tenant_id: Type.String(),
})

const trim_every = 100

/** Undefined if the lease is lost. */
export async function noteProgress(
  db: Db,
  lease: HeldLease,
  step: JobStep,
  kept: number,
): Promise<Noted | undefined> {
  const noted = await db.maybe(Row, note(lease, step))
  if (!noted) return undefined
  const { job_id, tenant_id, ...said } = noted
  // A checkpoint takes a number of its own, so the sequence may step over a multiple.
  if (said.sequence % trim_every < (step.checkpoint === undefined ? 1 : 2)) {
    await db.run(sql`
      delete from jobs.job_progress
      where tenant_id = ${tenant_id} and job_id = ${job_id} and sequence <= (
        select p.sequence from jobs.job_progress p
        where p.job_id = ${job_id}
        order by p.sequence desc
        offset ${kept} limit 1)`)
  }
  return said
}

function note(
  { attempt_id, token_hash }: HeldLease,
  { stage, current, total, message_code, checkpoint }: JobStep,
): Sql {
  const saved = checkpoint === undefined ? null : sql.json(checkpoint)
  return sql`
    -- any tenant: a lease token is for one attempt
    with held as materialized (
      select a.id, a.job_id, a.tenant_id, a.attempt_no from jobs.job_attempts a
      where a.id = ${attempt_id} and a.lease_token = ${token_hash}
        and a.state = 'running' and a.leased_until > now()
      for no key update
    ),
    counted as (
      update jobs.jobs j
      set last_sequence = j.last_sequence + 1 + (${saved}::text is not null)::int
      from held
      where j.tenant_id = held.tenant_id and j.id = held.job_id
      returning j.id, j.tenant_id, j.last_sequence, j.cancel_requested_at, j.version,
        held.attempt_no, held.id as attempt_id
    ),
    noted as (
      insert into jobs.job_progress (job_id, sequence, tenant_id, stage, current, total,
        message_code)
      select id, last_sequence, tenant_id, ${stage}, ${current}::bigint, ${total ?? null}::bigint,
        ${message_code ?? null}
      from counted
    ),
    saved as (
      insert into jobs.job_checkpoints as c (job_id, tenant_id, attempt_id, body)
      select id, tenant_id, attempt_id, ${saved}::jsonb from counted where ${saved}::text is not null
      on conflict (job_id) do update
        set attempt_id = excluded.attempt_id, body = excluded.body, saved_at = excluded.saved_at
    ),
    remembered as (
      insert into jobs.job_events (job_id, sequence, tenant_id, type, data)
      select id, last_sequence - 1, tenant_id, 'checkpointed',
        jsonb_build_object('attempt_no', attempt_no)
      from counted where ${saved}::text is not null
    )
    select last_sequence as sequence, cancel_requested_at is not null as cancel_requested, version,
      id as job_id, tenant_id
    from counted`
}
