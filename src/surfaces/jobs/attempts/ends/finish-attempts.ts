/**
 * Finishes attempts. The caller must give the lease token and the version. A batch is one
 * transaction. Ends that were not current are classified afterwards: the same end reported again, a
 * newer version, or a lost lease. If a batch fails because the hook of one surface failed, each end
 * is tried alone.
 */
import { Type, type Static } from 'typebox'
import { isUnavailable, sql, type Db, type Fault, type Tx } from '#dodeca/kernel'
import { attemptEndOf, type Ending } from './decide-end.ts'
import { endAttempts, type EndDeps } from './end-attempts.ts'
import { holdShown, type Shown } from './hold-attempts.ts'
import { jsonResult, type Result } from './result.ts'

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
  const apart = others.length > 0 ? await findReasons(deps.db, others) : new Map<string, Finished>()
  return finishes.map(({ attempt_id }) => done.get(attempt_id) ?? apart.get(attempt_id) ?? unknown)
}

const unknown: Finished = { said: 'lease_lost' }

async function finishOneByOne(
  deps: FinalizeDeps,
  finishes: readonly Finish[],
): Promise<Finished[]> {
  const said: Finished[] = []
  for (const one of finishes) {
    const alone = await finalize(deps, [one]).catch((error: unknown) => [
      { said: 'broken' as const, error },
    ])
    said.push(alone[0] ?? unknown)
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
  return (await findReasons(deps.db, [finish])).get(shown.attempt_id) ?? unknown
}

const Seen = Type.Object({
  attempt_id: Type.String(),
  tenant_id: Type.String(),
  job_id: Type.String(),
  state: Type.String(),
  leased: Type.Boolean(),
  version: Type.Integer(),
  cancel_requested: Type.Boolean(),
})

async function findReasons(db: Db, finishes: readonly Finish[]): Promise<Map<string, Finished>> {
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
    if (!leased) return unknown
    return { said: 'version_conflict', current_version: version, cancel_requested }
  }
  if (state === 'lease_expired' || state === 'expired') return unknown
  if (ending && attemptEndOf(ending) === state) return { said: 'repeated', tenant_id, job_id }
  return { said: 'attempt_finished' }
}
