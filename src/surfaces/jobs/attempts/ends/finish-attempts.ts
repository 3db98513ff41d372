/**
 * Finishes attempts. The caller must give the lease token and the version. A batch is one
 * transaction. Ends that were not current get their reason afterwards. If a batch fails because the
 * hook of one surface failed, each end is tried alone.
 */
import { isUnavailable, type Db, type Fault, type Tx } from '#dodeca/kernel'
import { endAttempts, type EndDeps } from './end-attempts.ts'
import { holdShown, type Shown } from './hold-attempts.ts'
import { lease_lost, reasonsOf, type Finish, type Finished } from './refuse-stale-lease.ts'
import { jsonResult, type Result } from './result.ts'

export type FinalizeDeps = EndDeps & { readonly db: Db; readonly fault: Fault }

export async function finalize(
  deps: FinalizeDeps,
  finishes: readonly Finish[],
): Promise<Finished[]> {
  let done: ReadonlyMap<string, Finished>
  try {
    done = await finishTogether(deps, finishes)
  } catch (error) {
    if (finishes.length === 1 || isUnavailable(error)) throw error
    return await finishOneByOne(deps, finishes)
  }
  const others = finishes.filter(one => !done.has(one.attempt_id))
  const apart = others.length > 0 ? await reasonsOf(deps.db, others) : new Map<string, Finished>()
  return finishes.map(
    ({ attempt_id }) => done.get(attempt_id) ?? apart.get(attempt_id) ?? lease_lost,
  )
}

async function finishOneByOne(
  deps: FinalizeDeps,
  finishes: readonly Finish[],
): Promise<Finished[]> {
  const said: Finished[] = []
  for (const one of finishes) {
    const alone = await finalize(deps, [one]).catch((error: unknown) => [
      { said: 'broken' as const, error },
    ])
    said.push(alone[0] ?? lease_lost)
  }
  return said
}

async function finishTogether(
  deps: FinalizeDeps,
  finishes: readonly Finish[],
): Promise<ReadonlyMap<string, Finished>> {
  const given = new Map(finishes.map(one => [one.attempt_id, one]))
  const ends = await deps.db.tx(async tx => {
    const held = await holdShown(tx, finishes)
    const endings = held.flatMap(one => {
      const finish = given.get(one.attempt_id)
      return finish ? [{ held: one, ending: finish.ending, result: finish.result }] : []
    })
    if (endings.length === 0) return []
    await deps.fault('jobs.before_finalize')
    return await endAttempts(deps, tx, endings)
  })
  await deps.fault('jobs.after_finalize')
  return new Map(
    ends.map(({ held: { attempt_id, tenant_id, job_id } }) => [
      attempt_id,
      { said: 'done', tenant_id, job_id },
    ]),
  )
}

/**
 * Writes the handler's own rows and the job's end in one transaction. Nothing is written if the
 * lease is stale.
 */
export async function commitAttempt(
  deps: FinalizeDeps,
  shown: Shown,
  effect: (tx: Tx) => Promise<unknown>,
  stored: Result | null,
): Promise<Finished> {
  const done = await deps.db.tx(async (tx): Promise<Finished | undefined> => {
    const [held] = await holdShown(tx, [shown])
    if (!held) return undefined
    const result = jsonResult(await effect(tx)) ?? stored
    await deps.fault('jobs.before_finalize')
    await endAttempts(deps, tx, [{ held, ending: { outcome: 'succeeded' }, result }])
    return { said: 'done', tenant_id: held.tenant_id, job_id: held.job_id }
  })
  if (done) return done
  const finish: Finish = { ...shown, ending: { outcome: 'succeeded' }, result: null }
  return (await reasonsOf(deps.db, [finish])).get(shown.attempt_id) ?? lease_lost
}
