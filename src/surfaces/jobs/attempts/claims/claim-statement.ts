/**
 * The claim as SQL: two statements of one transaction. The first takes the locks, so that the
 * second, with its newer snapshot, sees a pause that was committed before and counts the jobs that
 * really run. With lock and count in one statement the snapshot would be older than the lock, and
 * both checks would miss changes. The start time of an attempt is that of the second statement, so
 * that the history agrees with the count. Picked rows are passed as an array, so that no wrong
 * estimate can turn a look-up into a scan.
 */
import { Type, type Static } from 'typebox'
import { sql, type Sql } from '#dodeca/kernel'
import type { TypeRules } from '../rules.ts'
import { leaseEnd } from '../lease-end.ts'
import type { Stretch } from './lane-cursor.ts'

export type LaneQuota = {
  readonly rules: TypeRules
  readonly tenant_id: string
  readonly quota: number
  readonly stretches: readonly Stretch[]
}

/** The claiming process, and the ids of its attempts. */
export type Claimant = {
  readonly worker_id: string
  /** Null if the claim will not be repeated. */
  readonly claim_id: string | null
  readonly attempt_ids: readonly string[]
  readonly token_hashes: readonly Buffer[]
  readonly grace_seconds: number
}

export const Claimed = Type.Object({
  attempt_id: Type.String(),
  attempt_no: Type.Integer(),
  leased_until: Type.String(),
  started_at: Type.String(),
  job_id: Type.String(),
  tenant_id: Type.String(),
  type: Type.String(),
  schema_version: Type.Integer(),
  version: Type.Integer(),
  deadline_at: Type.Union([Type.String(), Type.Null()]),
  cancel_requested: Type.Boolean(),
  parameters: Type.Unknown(),
  input_ref: Type.Union([Type.String(), Type.Null()]),
  checkpoint: Type.Unknown(),
  /** The owner, and the request that submitted it. */
  principal_id: Type.String(),
  session_id: Type.Union([Type.String(), Type.Null()]),
  operation: Type.String(),
  /** The trace in which it was submitted. */
  traceparent: Type.Union([Type.String(), Type.Null()]),
  /** Whether the job ends if this attempt fails. */
  is_last: Type.Boolean(),
})

export const Picked = Type.Object({
  ...Claimed.properties,
  lane: Type.Integer(),
  rank: Type.Integer(),
  /** Exact to the microsecond, because the cursor must not start before the row that it names. */
  ready_at: Type.String(),
})
export type Picked = Static<typeof Picked>

/**
 * Takes a shared lock on the pause fence of each type, and tries to lock the lanes with a cap. It
 * skips a lane that another claim holds. The commit does not wait for the disk. If a crash of the
 * database undoes a claim, its worker has no lease and the job is still in the queue. The claim is
 * planned once for each connection: its plan depends on no value, and planning took a fifth of its
 * time.
 */
export function lockLanes(lanes: readonly LaneQuota[]): Sql {
  const types = [...new Set(lanes.map(({ rules }) => rules.type))].sort()
  const capped = lanes.flatMap(({ rules, tenant_id }, at) =>
    rules.tenant_max_running === null ? [] : [{ at, name: `${rules.type} ${tenant_id}` }],
  )
  return sql`
    with fence as materialized (
      select pg_advisory_xact_lock_shared(hashtext('jobs.type'), hashtext(type))
      from unnest(${types}::text[]) type
    )
    select array(
      select capped.at from unnest(
        ${capped.map(({ at }) => at)}::int[], ${capped.map(({ name }) => name)}::text[]
      ) capped (at, name)
      where not pg_try_advisory_xact_lock(hashtext('jobs.lane'), hashtext(capped.name))
    ) as refused, set_config('synchronous_commit', 'off', true) as waits,
      ${planned_once} as plans
    from (select count(*) from fence) locked`
}

/**
 * A plan that was made while the tables were empty must also work for full tables, so only index
 * scans are allowed.
 */
const planned_once = sql`
  set_config('plan_cache_mode', 'force_generic_plan', true)
    || set_config('enable_seqscan', 'off', true)
    || set_config('enable_bitmapscan', 'off', true)`

export const Locked = Type.Object({
  refused: Type.Array(Type.Integer()),
  waits: Type.String(),
  plans: Type.String(),
})

export function claimFrom(lanes: readonly LaneQuota[], claimant: Claimant): Sql {
  return sql`
    -- any tenant: the lanes name theirs
    with picked as materialized (
      ${pickFrom(lanes)}
    ),
    numbered as (
      select picked.*, row_number() over () as place from picked
    ),
    taken as (
      delete from jobs.job_queue q
      where q.ctid = any (array(select place_in_queue from picked))
    ),
    started as (
      update jobs.jobs j
      set state = 'running', version = version + 1, attempt_count = attempt_count + 1,
        last_sequence = last_sequence + 1
      from numbered n
      where j.id = any (array(select job_id from picked))
        -- This is not a plain equation on purpose. Otherwise the planner could use the order of
        -- (tenant_id, id) for a join, and read an index of an empty table from end to end.
        and j.tenant_id is not distinct from n.tenant_id and j.id = n.job_id
      returning j.id, j.tenant_id, j.type, j.schema_version, j.version, j.attempt_count,
        j.last_sequence, j.deadline_at, j.cancel_requested_at, j.input_ref,
        j.principal_id, j.session_id, j.operation, j.traceparent,
        j.failures + 1 >= j.max_attempts as is_last, n.place, n.lane, n.rank, n.ready_at,
        n.lease_seconds, n.timeout_seconds
    ),
    attempt as (
      insert into jobs.job_attempts (id, job_id, tenant_id, type, schema_version, attempt_no,
        worker_id, claim_id, lease_token, state, lease_seconds, leased_until, heartbeat_at,
        started_at, timeout_at)
      select (${claimant.attempt_ids}::uuid[])[s.place], s.id, s.tenant_id, s.type,
        s.schema_version, s.attempt_count, ${claimant.worker_id}::uuid, ${claimant.claim_id}::uuid,
        (${claimant.token_hashes}::bytea[])[s.place], 'running', s.lease_seconds,
        ${leaseEnd({
          lease_seconds: sql`s.lease_seconds`,
          timeout_at: sql`now() + make_interval(secs => s.timeout_seconds)`,
          grace_seconds: claimant.grace_seconds,
          job: sql`s`,
        })},
        now(), statement_timestamp(), now() + make_interval(secs => s.timeout_seconds)
      from started s
      returning id, job_id, attempt_no, leased_until, started_at
    ),
    noted as (
      insert into jobs.job_events (job_id, sequence, tenant_id, type, data, occurred_at)
      select s.id, s.last_sequence, s.tenant_id, 'started',
        jsonb_build_object('attempt_no', s.attempt_count), (select kernel.now())
      from started s
    )
    select a.id as attempt_id, a.attempt_no, a.leased_until, a.started_at,
      s.id as job_id, s.tenant_id, s.type, s.schema_version, s.version, s.deadline_at,
      s.cancel_requested_at is not null as cancel_requested, s.input_ref,
      (select i.parameters from jobs.job_inputs i
        where i.job_id = s.id and i.tenant_id = s.tenant_id) as parameters,
      (select c.body from jobs.job_checkpoints c
        where c.job_id = s.id and c.tenant_id = s.tenant_id) as checkpoint,
      s.principal_id, s.session_id, s.operation, s.traceparent, s.is_last, s.lane, s.rank,
      s.ready_at::text as ready_at
    from started s
    join attempt a on a.job_id = s.id
    order by s.place`
}

/** Locks rows of each lane in order and skips rows that others hold. */
function pickFrom(lanes: readonly LaneQuota[]): Sql {
  const stretches = lanes.flatMap(one => one.stretches)
  let used = 0
  const spans = lanes.map(one => ({ from: used + 1, to: (used += one.stretches.length) }))
  return sql`
    select q.tenant_id, q.job_id, q.rank, q.ready_at, q.ctid as place_in_queue, lane.at - 1 as lane,
      lane.lease_seconds, lane.timeout_seconds
    from unnest(
      ${lanes.map(({ rules }) => rules.type)}::text[],
      ${lanes.map(({ rules }) => rules.schema_version)}::int[],
      ${lanes.map(one => one.tenant_id)}::uuid[],
      ${lanes.map(one => one.quota)}::int[],
      ${lanes.map(({ rules }) => rules.tenant_max_running)}::int[],
      ${lanes.map(({ rules }) => rules.lease_seconds)}::int[],
      ${lanes.map(({ rules }) => rules.timeout_seconds)}::int[],
      ${spans.map(({ from }) => from)}::int[],
      ${spans.map(({ to }) => to)}::int[]
    ) with ordinality lane (type, schema_version, tenant_id, quota, cap, lease_seconds,
      timeout_seconds, from_stretch, to_stretch, at)
    cross join lateral (
      select case
        when exists (
          select from jobs.job_types t
          where t.type = lane.type and t.paused_at is not null
            and (t.paused_until is null or t.paused_until > kernel.now())
        ) then 0
        when lane.cap is null then lane.quota
        else greatest(0, least(lane.quota, lane.cap - (
          select count(*) from jobs.job_attempts a
          where a.state = 'running' and a.tenant_id = lane.tenant_id and a.type = lane.type
        )))
      end as rows
    ) room
    cross join lateral (
      select row.tenant_id, row.job_id, row.rank, row.ready_at, row.ctid
      from generate_series(lane.from_stretch, lane.to_stretch) stretch
      cross join lateral (
        select w.tenant_id, w.job_id, w.rank, w.ready_at, w.ctid
        from jobs.job_queue w
        where w.type = lane.type
          and w.schema_version = lane.schema_version
          and w.tenant_id = lane.tenant_id
          and w.wake_at is null
          and (w.rank, w.ready_at, w.job_id) > (
            (${stretches.map(({ from }) => from.rank)}::smallint[])[stretch],
            (${stretches.map(({ from }) => from.ready_at)}::timestamptz[])[stretch],
            (${stretches.map(({ from }) => from.job_id)}::uuid[])[stretch])
          and w.rank <= (${stretches.map(one => one.to_rank)}::smallint[])[stretch]
        order by w.rank, w.ready_at, w.job_id
        limit room.rows
        for update skip locked
      ) row
      limit room.rows
    ) q`
}
