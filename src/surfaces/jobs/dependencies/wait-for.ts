/**
 * Makes a job wait for others. The parents are locked. So a parent that ends at this moment either
 * counts as ended for this job, or finds this job waiting. Edges point only at jobs that exist, so
 * they can never form a circle.
 */
import { Type, type Static } from 'typebox'
import { sql, type FieldError, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { Dependency } from '../face.ts'
import type { EndListeners } from '../attempts/ends/announce-ends.ts'
import { isTerminal, JobState } from '../schemas.ts'
import { release, settleDependents, type EndedParent } from './settle-dependents.ts'

const Parent = Type.Object({ id: Type.String(), state: JobState })
type Parent = Static<typeof Parent>

type Child = { readonly id: string; readonly tenant_id: string }

const Seen = Type.Object({ id: Type.String(), type: Type.String(), principal_id: Type.String() })

/** Whether the caller may see a job. */
export type Reads = (job: Pick<Static<typeof Seen>, 'type' | 'principal_id'>) => boolean

/**
 * A job that the caller may not see is refused like one that does not exist. Nothing is locked
 * before, and what is compared never changes.
 */
export async function requireReadable(
  tx: Tx,
  { tenant_id }: Child,
  depends_on: readonly Dependency[],
  reads: Reads,
  pointer = '',
): Promise<void> {
  const parents = await tx.many(
    Seen,
    sql`
    select id, type, principal_id from jobs.jobs
    where tenant_id = ${tenant_id} and id = any(${depends_on.map(one => one.job_id)}::uuid[])`,
  )
  const readable = new Set(parents.filter(reads).map(one => one.id))
  const all = depends_on.every(one => readable.has(one.job_id))
  if (!all) throw unknown(depends_on, readable, pointer)
}

/** The child's row is already blocked without a time (`blocked`). */
export async function waitFor(
  tx: Tx,
  listeners: EndListeners,
  child: Child,
  depends_on: readonly Dependency[],
): Promise<void> {
  const required = new Map(depends_on.map(one => [one.job_id, one.required_state]))
  const parents = await holdParents(tx, child, [...required.keys()])
  if (parents.length < required.size) {
    throw unknown(depends_on, new Set(parents.map(one => one.id)))
  }
  await tx.run(sql`
    insert into jobs.job_dependencies (job_id, depends_on_job_id, tenant_id, required_state)
    select ${child.id}, parent_id, ${child.tenant_id}, required_state
    from unnest(
      ${[...required.keys()]}::uuid[],
      ${[...required.values()].map(state => state ?? 'succeeded')}::text[]
    ) edge (parent_id, required_state)`)
  await settleEnded(tx, listeners, child, parents)
}

/** A retried job waits for the parents that are still unsatisfied. */
export async function waitAgain(
  tx: Tx,
  listeners: EndListeners,
  child: Child,
  parent_ids: readonly string[],
): Promise<void> {
  const parents = await holdParents(tx, child, parent_ids)
  await settleEnded(tx, listeners, child, parents)
  // The edges were read before the parents were locked, so some may have been satisfied meanwhile.
  await release(tx, [{ tenant_id: child.tenant_id, job_id: child.id }])
}

/**
 * Shared locks, so that children of one parent do not wait for each other. Only the first child
 * marks the parent. Both lock in the order of ids, so that two transactions cannot deadlock.
 */
async function holdParents(tx: Tx, { tenant_id }: Child, ids: readonly string[]) {
  const [, held] = await Promise.all([
    tx.run(sql`
      with unmarked as materialized (
        select id from jobs.jobs
        where tenant_id = ${tenant_id} and id = any(${ids}::uuid[]) and not has_dependents
        order by id
        for no key update
      )
      update jobs.jobs j set has_dependents = true
      from unmarked
      where j.tenant_id = ${tenant_id} and j.id = unmarked.id`),
    tx.many(
      Parent,
      sql`
      select id, state from jobs.jobs
      where tenant_id = ${tenant_id} and id = any(${ids}::uuid[])
      order by id
      for share`,
    ),
  ])
  return held
}

async function settleEnded(
  tx: Tx,
  listeners: EndListeners,
  { tenant_id }: Child,
  parents: readonly Parent[],
): Promise<void> {
  const ended = parents
    .filter(one => isTerminal(one.state))
    .map(({ id, state }): EndedParent => ({ tenant_id, id, state }))
  if (ended.length > 0) await settleDependents(listeners, tx, ended)
}

function unknown(depends_on: readonly Dependency[], known: ReadonlySet<string>, pointer = '') {
  const errors = depends_on.flatMap(({ job_id }, at): FieldError[] =>
    known.has(job_id)
      ? []
      : [{ location: 'body', pointer: `${pointer}/depends_on/${at}/job_id`, constraint: 'exists' }],
  )
  return problem('dependency_unknown', { errors: errors.slice(0, 20) })
}
