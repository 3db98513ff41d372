/**
 * The personal data that jobs stores: the jobs that the account submitted and the workflows that are
 * about it, with their parameters, steps and results, the texts in their progress and history, and its schedules. No index finds jobs by
 * submitter, because every submission would pay for it. So export and erasure read all jobs in
 * portions, in the order of their ids.
 */
import { Type, type Static } from 'typebox'
import { madeIn, nullable, personalRows, sql } from '#dodeca/kernel'
import type { Earlier, Erasing, Personal, PersonalRows, Tx } from '#dodeca/kernel'
import { owned_operations } from './attempts/claims/check-owners.ts'
import type { Deps } from './deps.ts'
import { cancelJob } from './jobs/cancel-job.ts'
import { pause } from './schedules/run-schedules.ts'

const portion = 5000
/** A job may have a thousand rows of progress. */
const erased_at_once = 200

/** Why these jobs were cancelled. A person's own reason is text of that person. */
const account_erased = 'account_erased'
const owner_changed = 'owner_changed'
const own_reasons = [account_erased, owner_changed]

const Data = Type.Array(Type.Record(Type.String(), Type.Unknown()))
const Looked = Type.Object({ last: nullable(Type.String()), data: Data })
const Copy = Type.Object({
  tenant_id: Type.String(),
  job_id: Type.String(),
  ended: Type.Boolean(),
})
const Mine = Type.Object({ last: nullable(Type.String()), data: Type.Array(Copy) })
const Blob = Type.Object({ blob_key: nullable(Type.String()) })

type Needs = Pick<Deps, 'kernel' | 'listeners'>

export function personalJobs(deps: Needs): Personal {
  const { db } = deps.kernel
  const rows = personalRows(db, others)
  return {
    export: async function* (account, signal) {
      yield* rows.export(account, signal)
      const { principal_ids } = account
      for (let after: string | null = null; !signal.aborted;) {
        const { last, data }: Static<typeof Looked> = await db.one(
          Looked,
          jobsOf(principal_ids, after),
        )
        for (const one of data) yield { kind: 'job', data: one }
        if (last === null) return
        after = last
      }
    },
    erase: async (account, signal) => {
      await rows.erase(account, signal)
      let unfinished = 0
      for (let after: string | null = null; ;) {
        signal.throwIfAborted()
        const { last, data }: Static<typeof Mine> = await db.one(
          Mine,
          keysOf({ ...account, made_before: null }, after, account.principal_ids),
        )
        const running = data.filter(one => !one.ended)
        for (const { tenant_id, job_id } of running) {
          await db.tx(tx => cancelJob(tx, deps, { tenant_id, job_id }, account_erased))
        }
        const ids = data.map(one => one.job_id)
        unfinished += await eraseAll(deps, ids, signal)
        if (last === null) break
        after = last
      }
      // The erasure is retried later, because a worker may need until the end of its lease to stop.
      if (unfinished > 0) throw new Error(`${unfinished} jobs of an erased account still run`)
    },
    suspend: async (account, signal) => {
      await db.tx(async tx => {
        for (const schedule of await enabledSchedules(tx, account)) await pause(tx, schedule)
      })
      for (let after: string | null = null; ;) {
        signal.throwIfAborted()
        const { last, data }: Static<typeof Mine> = await db.one(Mine, keysOf(account, after, []))
        for (const { tenant_id, job_id, ended } of data) {
          if (!ended) await db.tx(tx => cancelJob(tx, deps, { tenant_id, job_id }, owner_changed))
        }
        if (last === null) return
        after = last
      }
    },
  }
}

const others: readonly PersonalRows[] = [
  {
    kind: 'job_schedule',
    table: 'jobs.job_schedules',
    owner: 'principal_id',
    view: ['id', 'tenant_id', 'name', 'type', 'parameters', 'cron', 'created_at'],
    erase: 'delete',
  },
  { table: 'jobs.deleted_schedules', owner: 'principal_id', key: ['name'], erase: 'delete' },
  {
    kind: 'job_signal',
    table: 'jobs.job_signals',
    owner: 'principal_id',
    key: ['job_id', 'id'],
    view: ['id', 'tenant_id', 'job_id', 'name', 'data', 'created_at'],
    erase: { set: sql`data = 'null', principal_id = null`, where: sql`true` },
  },
  {
    // What the person wrote on jobs of others.
    table: 'jobs.job_events',
    owner: 'principal_id',
    key: ['job_id', 'sequence'],
    erase: { set: sql`data = data - 'reason', principal_id = null`, where: sql`true` },
  },
]

const Named = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
})

function enabledSchedules(tx: Tx, account: Earlier) {
  return tx.many(
    Named,
    sql`
      -- any tenant: what one person made
      select tenant_id, id, name, type from jobs.job_schedules
      where principal_id = any(${account.principal_ids}::uuid[]) and enabled
        and ${madeIn(sql`created_at`, account)}
      for update`,
  )
}

/** The next portion of all jobs, and its last id, or null at the end. */
function looked(after: string | null) {
  return sql`
    -- any tenant: what one person submitted
    with looked as materialized (
      select id, tenant_id, principal_id, type, state, operation, created_at,
        completed_at
      from jobs.jobs
      where ${after}::uuid is null or id > ${after}::uuid
      order by id limit ${portion}
    ), place as (
      select (select max(id::text) from looked having count(*) = ${portion}) as last
    )`
}

function jobsOf(principal_ids: readonly string[], after: string | null) {
  return sql`
    ${looked(after)}
    select place.last, (
      select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'tenant_id', l.tenant_id, 'type', l.type,
        'state', l.state, 'created_at', l.created_at, 'completed_at', l.completed_at,
        'parameters', i.parameters) || case when r.job_id is null then '{}' else
        jsonb_build_object('steps', ${stepsOf}) end order by l.id), '[]')
      from looked l left join jobs.job_inputs i on i.tenant_id = l.tenant_id and i.job_id = l.id
      left join jobs.runs r on r.tenant_id = l.tenant_id and r.job_id = l.id
      where l.principal_id = any(${principal_ids}::uuid[])
        or r.person_id = any(${principal_ids}::uuid[])) as data
    from place`
}

const stepsOf = sql`(
  select coalesce(jsonb_agg(jsonb_build_object('name', s.name, 'state', s.state,
    'result', s.result) order by s.sequence, s.name), '[]')
  from jobs.job_steps s where s.tenant_id = r.tenant_id and s.job_id = r.job_id)`

/**
 * Work that another surface submitted for the person and that has not ended is left to that
 * surface, except workflows. `persons`: also the workflows that are about these accounts.
 */
function keysOf(account: Erasing, after: string | null, persons: readonly string[]) {
  return sql`
    ${looked(after)}
    select place.last, (
      select coalesce(jsonb_agg(jsonb_build_object('tenant_id', l.tenant_id, 'job_id', l.id,
        'ended', l.completed_at is not null)), '[]')
      from looked l
      left join jobs.runs r on r.tenant_id = l.tenant_id and r.job_id = l.id
      where (l.principal_id = any(${account.principal_ids}::uuid[])
          or r.person_id = any(${persons}::uuid[]))
        and ${madeIn(sql`l.created_at`, account)}
        and (l.completed_at is not null or l.operation = any(${owned_operations})
          or r.job_id is not null)) as data
    from place`
}

/**
 * The jobs, and those that retries made of them, by any account: each has a copy of the input.
 * Returns how many of them have not ended.
 */
async function eraseAll(
  deps: Needs,
  job_ids: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  let unfinished = 0
  for (let ids = job_ids; ids.length > 0;) {
    for (let at = 0; at < ids.length; at += erased_at_once) {
      signal.throwIfAborted()
      unfinished += await eraseEnded(deps, ids.slice(at, at + erased_at_once))
    }
    const copies = await deps.kernel.db.many(
      Copy,
      sql`
        -- any tenant: copies of what one person submitted
        select tenant_id, id as job_id, completed_at is not null as ended from jobs.jobs
        where retry_of_job_id = any(${ids}::uuid[])`,
    )
    for (const { tenant_id, job_id, ended } of copies) {
      const key = { tenant_id, job_id }
      if (!ended) await deps.kernel.db.tx(tx => cancelJob(tx, deps, key, account_erased))
    }
    ids = copies.map(one => one.job_id)
  }
  return unfinished
}

const Left = Type.Object({ unfinished: Type.Integer() })

/**
 * The objects are deleted before their rows, as in the sweep of results. An input becomes JSON's
 * null, which it cannot be otherwise: so a retry can refuse a job whose input is gone. The lock lets
 * only one of a retry and an erasure happen. Returns how many jobs have not ended.
 */
async function eraseEnded({ kernel: { db, objects } }: Needs, ids: readonly string[]) {
  if (ids.length === 0) return 0
  const blobs = await db.many(
    Blob,
    sql`
      -- any tenant: what one person submitted
      select r.blob_key from jobs.job_results r join jobs.jobs j on j.id = r.job_id
      where j.id = any(${ids}::uuid[]) and j.completed_at is not null and r.blob_key is not null`,
  )
  for (const { blob_key } of blobs) if (blob_key) await objects.delete(blob_key)
  const { unfinished } = await db.one(
    Left,
    sql`
      -- any tenant: what one person submitted
      with ended as materialized (
        select id from jobs.jobs where id = any(${ids}::uuid[]) and completed_at is not null
        order by id
        for no key update
      ),
      inputs as (
        update jobs.job_inputs d set parameters = 'null' from ended where d.job_id = ended.id
      ),
      keys as (
        update jobs.jobs d set idempotency_key = null from ended
        where d.id = ended.id and d.idempotency_key is not null
      ),
      runs as (
        update jobs.runs d set person_id = null from ended
        where d.job_id = ended.id and d.person_id is not null
      ),
      steps as (
        update jobs.job_steps d set result = null from ended
        where d.job_id = ended.id and d.result is not null
      ),
      signals as (
        update jobs.job_signals d set data = 'null', principal_id = null from ended
        where d.job_id = ended.id
      ),
      checkpoints as (delete from jobs.job_checkpoints d using ended where d.job_id = ended.id),
      results as (delete from jobs.job_results d using ended where d.job_id = ended.id),
      progress as (delete from jobs.job_progress d using ended where d.job_id = ended.id),
      reasons as (
        update jobs.job_events d set data = d.data - 'reason' from ended
        where d.job_id = ended.id and d.data ? 'reason'
          and d.data ->> 'reason' <> all (${own_reasons})
      )
      select ${ids.length}::int - count(*)::int as unfinished from ended`,
  )
  return unfinished
}
