/**
 * The stages of ingestion, and how a job reports its progress. A stage is shown after it has begun.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { count, nullable, oneOf, sql, Time, type Db, type RunningJob } from '#dodeca/kernel'

export const job_kinds = ['ingest', 'purge', 'reindex', 'sync', 'evaluate'] as const
export type JobKind = (typeof job_kinds)[number]

const stage_names = [
  'fetch',
  'verify',
  'extract',
  'ocr',
  'normalize',
  'chunk',
  'embed',
  'index',
  'activate',
] as const

const StageState = oneOf('pending', 'running', 'done', 'skipped', 'failed')
export const Stage = Type.Object(
  {
    name: Type.String({ maxLength: 40 }),
    state: StageState,
    done: Type.Integer(),
    total: nullable(Type.Integer()),
    started_at: nullable(Time),
    completed_at: nullable(Time),
  },
  { title: 'IngestionStage' },
)
export type Stage = Static<typeof Stage>

/** The values in the row, by the name of the stage. */
const Kept = Type.Record(
  Type.String(),
  Type.Object({
    state: StageState,
    done: count(0, 2 ** 31),
    total: nullable(count(0, 2 ** 31)),
    started_at: nullable(Type.String()),
    completed_at: nullable(Type.String()),
  }),
)

/** For an ingestion, every stage in order; for another job, the stages that have begun. */
export function stagesOf(kind: JobKind, kept: unknown): Stage[] {
  const known = Value.Check(Kept, kept) ? kept : {}
  const names = kind === 'ingest' ? stage_names : Object.keys(known)
  const none = { state: 'pending', done: 0, total: null, started_at: null, completed_at: null }
  return names.map(name => ({ name, ...none, ...known[name] }) as Stage)
}

type Step = {
  readonly state: Stage['state']
  readonly done?: number
  readonly total?: number
}

export type Stages = {
  /** Throws if the lease is lost, so that a replaced attempt stops here. */
  set(name: string, step: Step): Promise<void>
}

/** As a row of its own would be read. */
export const now_json = sql`to_jsonb(to_char(kernel.now() at time zone 'UTC',
  'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

/** The stages of one attempt. `progress` checks the lease before it writes the row. */
export function openStages({ db }: { readonly db: Db }, job: RunningJob): Stages {
  return {
    set: async (name, { state, done = 0, total }) => {
      await job.progress({
        stage: name,
        current: done,
        ...(total === undefined ? {} : { total }),
        checkpoint: { stage: name, done },
      })
      const ended = state === 'done' || state === 'skipped' || state === 'failed'
      await db.run(sql`
        update retrieval.ingestion_jobs j
        set stage = ${name}, checkpoint = jsonb_build_object('stage', ${name}::text, 'done', ${done}::int),
          stages = j.stages || jsonb_build_object(${name}::text, jsonb_build_object(
            'state', ${state}::text, 'done', ${done}::int, 'total', ${total ?? null}::int,
            'started_at', coalesce(j.stages -> ${name}::text -> 'started_at',
              ${now_json}),
            'completed_at',
              case when ${ended} then ${now_json} end))
        where j.tenant_id = ${job.tenant_id} and j.id = ${job.id}`)
    },
  }
}
