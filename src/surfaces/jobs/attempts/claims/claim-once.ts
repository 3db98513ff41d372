/**
 * A claim for an external worker: of one tenant's jobs or of all. The id of the claim is locked
 * first, so that two requests with the same claim get the same leases.
 */
import { sql, type Db, type Keyring, type Sql, type Tx } from '#dodeca/kernel'
import type { TypeRules } from '../rules.ts'
import { askLanes, learn, type Sharing } from './ask-lanes.ts'
import { claimedBefore, claimJobs, type Lease } from './claim-jobs.ts'
import { openLaneCursors } from './lane-cursor.ts'
import { lanesOf, openLaneFinder } from './find-lanes.ts'
import { laneName, type OpenLane } from './open-lanes.ts'

export type WorkerClaim = {
  readonly worker_id: string
  readonly claim_id: string
  readonly types: readonly TypeRules[]
  /** Null claims the jobs of all tenants. */
  readonly tenant_id: string | null
  readonly max_jobs: number
}

export type ClaimForWorker = (claim: WorkerClaim) => Promise<readonly Lease[]>

type Deps = Sharing & {
  readonly db: Db
  readonly keys: Keyring
  readonly grace_seconds: number
}

const rounds_max = 4

export function openClaimForWorker(deps: Deps): ClaimForWorker {
  const { db, runningCounts } = deps
  const cursors = openLaneCursors()
  const finder = openLaneFinder()
  const lanesFor = async ({ types, tenant_id }: WorkerClaim): Promise<OpenLane[]> => {
    const { lanes } = await (tenant_id === null
      ? finder.find(db, types)
      : lanesOf(db, types, tenant_id))
    return lanes.flatMap(lane => {
      const rules = types.find(
        one => one.type === lane.type && one.schema_version === lane.schema_version,
      )
      if (!rules) return []
      const cursor = cursors.of(laneName(rules, lane.tenant_id))
      return [{ rules, tenant_id: lane.tenant_id, cursor }]
    })
  }
  return async claim => {
    if (claim.types.length === 0) return []
    const lanes = await lanesFor(claim)
    await runningCounts.refresh(db, [...new Set(lanes.map(one => one.tenant_id))])
    return await db.tx(tx => claimOnce(tx, deps, claim, lanes))
  }
}

/** Holds off other requests with the same claim until the transaction ends. */
export function lockClaim(claim_id: string): Sql {
  return sql`select pg_advisory_xact_lock(hashtext('jobs.claim'), hashtext(${claim_id}))`
}

async function claimOnce(
  tx: Tx,
  deps: Deps,
  { worker_id, claim_id, max_jobs, types, tenant_id }: WorkerClaim,
  lanes: readonly OpenLane[],
): Promise<readonly Lease[]> {
  const { keys, grace_seconds } = deps
  const [, before] = await Promise.all([
    tx.run(lockClaim(claim_id)),
    claimedBefore(tx, keys, worker_id, claim_id),
  ])
  if (before.length > 0) {
    await noteRepeat(tx, worker_id, claim_id)
    // The worker may have lost the right to some types since.
    return before.filter(
      lease =>
        types.some(one => one.type === lease.type) &&
        (tenant_id === null || lease.tenant_id === tenant_id),
    )
  }
  const leases: Lease[] = []
  let open = lanes
  for (let round = 0; round < rounds_max && leases.length < max_jobs; round++) {
    const asked = askLanes(open, max_jobs - leases.length, deps)
    if (asked.length === 0) break
    const taken = await claimJobs(tx, keys, { worker_id, claim_id, grace_seconds }, asked)
    leases.push(...taken)
    const found = learn(deps, asked, taken)
    const over = new Set(asked.flatMap(({ lane }, at) => (found[at] === 'empty' ? [lane] : [])))
    open = open.filter(lane => !over.has(lane))
  }
  return leases
}

/**
 * The worker has these leases from now on, so the request that it repeats must not release them. The
 * clock is read under the lock, and is later than the start of the attempts.
 */
async function noteRepeat(tx: Tx, worker_id: string, claim_id: string): Promise<void> {
  await tx.run(sql`
    -- any tenant: a worker asks for what it was given
    update jobs.job_attempts set heartbeat_at = clock_timestamp()
    where claim_id = ${claim_id} and worker_id = ${worker_id} and state = 'running'
      and leased_until > now()`)
}
