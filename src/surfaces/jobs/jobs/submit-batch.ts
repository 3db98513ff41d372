/**
 * Submits up to a hundred jobs in one transaction, all or none. Within a batch, jobs refer to each
 * other by refs. The jobs are sorted so that each job follows the jobs for which it waits. A batch
 * with a circle is refused.
 */
import type { FieldError, Tx } from '#dodeca/kernel'
import { runner_topic } from '../topics.ts'
import { requireReadable, waitFor, type Reads } from '../dependencies/wait-for.ts'
import { problem } from '../errors.ts'
import type { Dependency, JobOrder } from '../face.ts'
import { insertJobs, type NewJob } from './insert-jobs.ts'
import { checkOrder } from './check-order.ts'
import type { SubmitBatch } from './schemas.ts'
import { madeBefore, type SubmitDeps } from './submit-job.ts'

type Item = SubmitBatch['jobs'][number]
type Common = Pick<
  JobOrder,
  'tenant_id' | 'principal_id' | 'session_id' | 'operation' | 'request_fingerprint'
>

/** Returns the id of each ref. */
export async function submitBatch(
  tx: Tx,
  deps: SubmitDeps,
  items: readonly Item[],
  common: Common,
  key: string,
  reads: Reads,
): Promise<ReadonlyMap<string, string>> {
  const places = new Map(items.map(({ ref }, at) => [ref, at]))
  if (places.size < items.length) throw refused('validation_failed', '/jobs', 'uniqueRefs')
  const order = inOrder(items, places)
  const jobs = new Map<string, NewJob>()
  for (const item of order) jobs.set(item.ref, await checkItem(tx, deps, items, item, common, key))
  const runs = [...jobs.values()].filter(one => one.run).length
  await deps.quota.require(tx, common.tenant_id, items.length, runs)
  const made = await insertJobs(tx, [...jobs.values()])
  if (made.size === 0) return await allBefore(tx, jobs)
  if (made.size < jobs.size) throw problem('idempotency_key_reused')
  for (const { ref, depends_on = [], depends_on_refs = [] } of order) {
    const child = jobs.get(ref)
    if (child && depends_on.length > 0) {
      await requireReadable(tx, child, depends_on, reads, `/jobs/${places.get(ref) ?? 0}`)
    }
    const parents = depends_on_refs.map((one): Dependency => {
      const { required_state } = one
      const job_id = jobs.get(one.ref)?.id ?? ''
      return required_state ? { job_id, required_state } : { job_id }
    })
    const all = [...depends_on, ...parents]
    if (child && all.length > 0) await waitFor(tx, deps.listeners, child, all)
  }
  tx.wake(runner_topic)
  return new Map([...jobs].map(([ref, { id }]) => [ref, id]))
}

async function checkItem(
  tx: Tx,
  deps: SubmitDeps,
  items: readonly Item[],
  item: Item,
  common: Common,
  key: string,
): Promise<NewJob> {
  const { ref, depends_on_refs, ...order } = item
  const own = { ...order, ...common, idempotency_key: `${key}:${ref}` }
  const job = await checkOrder(tx, deps, own, `/jobs/${items.indexOf(item)}`)
  const parents = (order.depends_on?.length ?? 0) + (depends_on_refs?.length ?? 0)
  if (parents > 50) {
    throw refused('validation_failed', `/jobs/${items.indexOf(item)}/depends_on_refs`, 'maxItems')
  }
  return { ...job, blocked: parents > 0 }
}

async function allBefore(tx: Tx, jobs: ReadonlyMap<string, NewJob>) {
  const before = new Map<string, string>()
  for (const [ref, job] of jobs) before.set(ref, await madeBefore(tx, job))
  return before
}

/** Parents first. */
function inOrder(items: readonly Item[], places: ReadonlyMap<string, number>): Item[] {
  const placed = new Set<string>()
  const order: Item[] = []
  let left = [...items]
  left.forEach(item => {
    for (const { ref } of item.depends_on_refs ?? []) {
      if (places.has(ref)) continue
      const pointer = `/jobs/${places.get(item.ref) ?? 0}/depends_on_refs`
      throw refused('dependency_unknown', pointer, 'exists')
    }
  })
  while (left.length > 0) {
    const free = left.filter(one => (one.depends_on_refs ?? []).every(({ ref }) => placed.has(ref)))
    if (free.length === 0) throw refused('dependency_cycle', '/jobs', 'acyclic')
    for (const one of free) {
      placed.add(one.ref)
      order.push(one)
    }
    left = left.filter(one => !placed.has(one.ref))
  }
  return order
}

function refused(
  code: 'validation_failed' | 'dependency_cycle' | 'dependency_unknown',
  pointer: string,
  constraint: string,
) {
  const error: FieldError = { location: 'body', pointer, constraint }
  return problem(code, { errors: [error] })
}
