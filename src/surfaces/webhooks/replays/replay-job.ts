/**
 * A replay of many deliveries, as a job. The job first counts the deliveries, so that its progress
 * has a total, and so that nothing is sent if there are too many. Then it schedules the deliveries,
 * at the rate of the subscription and behind live deliveries. Each portion saves the position of
 * the job. A cancelled replay schedules nothing more.
 */
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { Id, JobFailure, nullable, sql, type JobType, type RunningJob } from '#dodeca/kernel'
import { startOf } from '../catalog/start-of.ts'
import type { Deps } from '../deps.ts'
import { countMissed, lineUpMissed } from './line-up-missed.ts'
import { countEnded, lineUpEnded, type Portion } from './line-up.ts'
import { openPace } from './pace.ts'
import { readTarget, ReplayOrder, type Target } from './replay-target.ts'

export const replay_type = 'webhooks.bulk_replay'

const Result = Type.Object({ subscription_id: Id, deliveries: Type.Integer() })
type Result = Static<typeof Result>

/**
 * The first stage is the ended deliveries in the order of their ids. The second stage is the events
 * without a delivery in the order of the log.
 */
const Stage = Type.Union([Type.Literal('ended'), Type.Literal('missed')])
type Stage = Static<typeof Stage>
const Spot = Type.Object({ stage: Stage, after: Type.String() })
type Spot = Static<typeof Spot>
/** `at` is null when everything is scheduled. */
const Place = Type.Object({
  at: nullable(Spot),
  done: Type.Integer(),
  total: Type.Integer(),
  /** The last due time that was used. */
  until: Type.Optional(Type.String()),
})
type Place = Static<typeof Place>

const portion_max: Readonly<Record<Stage, number>> = { ended: 500, missed: 100 }
const stages: Readonly<Record<ReplayOrder['only'], readonly Stage[]>> = {
  failed: ['ended'],
  missed: ['missed'],
  all: ['ended', 'missed'],
}

type Needed = Pick<Deps, 'kernel' | 'types' | 'sender' | 'rights'>
type Work = { readonly deps: Needed; readonly job: RunningJob; readonly order: ReplayOrder }

export function replayJob(deps: Needed): JobType {
  return {
    type: replay_type,
    schema_version: 1,
    parameters: ReplayOrder,
    result: Result,
    permission: 'webhooks.deliveries.replay',
    // Long enough for a hundred thousand deliveries at one a second.
    timeout_seconds: 2 * 86_400,
    max_attempts: 20,
    tenant_max_running: 4,
    run: job => run({ deps, job, order: job.parameters as ReplayOrder }), // checked when submitted
  }
}

async function run(work: Work): Promise<Result> {
  const { deps, job, order } = work
  const { checkpoint, signal } = job
  let place = Value.Check(Place, checkpoint) ? checkpoint : await begin(work)
  const pace = openPace(deps.kernel.clock, place.until ?? null)
  while (place.at !== null) {
    const { at, done, total }: Place = place
    const target = await readTarget(deps, job, order)
    const after_seconds = await pace.room(total - done, target.rate_per_second, signal)
    if (after_seconds !== null) job.again(after_seconds)
    const portion = await lineUp(deps, target, at, pace.lead_seconds())
    await deps.kernel.fault('webhooks.replay_portion')
    pace.took(portion.found, target.rate_per_second)
    deps.sender.poke([order.subscription_id])
    const next = await behind(work, at, portion)
    place = { at: next, done: done + portion.found, total, until: pace.until() }
    await reportProgress(job, place)
  }
  return { subscription_id: order.subscription_id, deliveries: place.done }
}

async function begin(work: Work): Promise<Place> {
  const { deps, job, order } = work
  const target = await readTarget(deps, job, order)
  const total_max = deps.kernel.settings['webhooks.replay_deliveries_max']
  const first = await enter(work, stages[order.only])
  let total = 0
  for (let at: Spot | null = first; at !== null;) {
    job.signal.throwIfAborted()
    const portion: Portion = await count(deps, target, at)
    total += portion.found
    if (total > total_max) throw new JobFailure('too_many_deliveries')
    at = await behind(work, at, portion)
  }
  const place = { at: first, done: 0, total }
  await reportProgress(job, place)
  return place
}

/** The place after a portion: in the same stage, or at the start of the next one. */
async function behind(work: Work, { stage }: Spot, { after }: Portion): Promise<Spot | null> {
  if (after !== null) return { stage, after }
  const all = stages[work.order.only]
  return enter(work, all.slice(all.indexOf(stage) + 1))
}

/** The start of the first stage that has something to scan. */
async function enter(work: Work, left: readonly Stage[]): Promise<Spot | null> {
  for (const stage of left) {
    const after = await startIn(work, stage)
    if (after !== null) return { stage, after }
  }
  return null
}

async function startIn({ deps, job, order }: Work, stage: Stage): Promise<string | null> {
  const { db } = deps.kernel
  const { since } = order
  if (stage === 'missed') {
    const position = await startOf(db, job.tenant_id, since)
    return position === null ? null : String(position)
  }
  const { id } = await db.one(First, sql`select kernel.first_id_of(${since}::timestamptz) as id`)
  return id
}

const First = Type.Object({ id: Id })

function count({ kernel: { db } }: Needed, target: Target, { stage, after }: Spot) {
  return stage === 'ended'
    ? countEnded(db, target.ended, after)
    : countMissed(db, target.missed, after)
}

/** A portion has at most as many deliveries as are sent in a second. */
function lineUp(
  { kernel: { db } }: Needed,
  target: Target,
  { stage, after }: Spot,
  lead_seconds: number,
): Promise<Portion> {
  const { rate_per_second } = target
  const step = { after, many: Math.min(portion_max[stage], rate_per_second) }
  const due = { lead_seconds, rate_per_second }
  return db.tx(tx =>
    stage === 'ended'
      ? lineUpEnded(tx, target.ended, step, due)
      : lineUpMissed(tx, target.missed, step, due),
  )
}

/** New events may have arrived since the count. */
function reportProgress(job: RunningJob, place: Place): Promise<void> {
  const { at, done, total } = place
  const stage = at?.stage ?? 'lined_up'
  const checkpoint = place
  return job.progress({ stage, current: done, total: Math.max(total, done), checkpoint })
}
