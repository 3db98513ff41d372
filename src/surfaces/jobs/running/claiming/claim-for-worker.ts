/**
 * A claim for a worker outside: of one tenant's jobs or of all. The id of the claim is locked first, so
 * that the same claim sent twice at once is given its leases once and answered twice.
 */
import type { Db } from '../../../../kernel/database/db.ts'
import { sql } from '../../../../kernel/database/sql.ts'
import type { Keyring } from '../../../../kernel/keys.ts'
import type { TypeRules } from '../rules.ts'
import { askLanes, learn, type Sharing } from './ask-lanes.ts'
import { claimedBefore, claimJobs, type Lease } from './claim-jobs.ts'
import { openLaneCursors } from './cursors.ts'
import { openLookout } from './look-for-lanes.ts'
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

const rounds_max = 3

export function openClaimForWorker(deps: Deps): ClaimForWorker {
  const { db, keys, grace_seconds, standings } = deps
  const cursors = openLaneCursors()
  const lookout = openLookout()
  const lanesFor = async ({ types, tenant_id }: WorkerClaim): Promise<OpenLane[]> => {
    const open = (rules: TypeRules, of_tenant: string): OpenLane => ({
      rules,
      tenant_id: of_tenant,
      cursor: cursors.of(laneName(rules, of_tenant)),
    })
    if (tenant_id !== null) return types.map(rules => open(rules, tenant_id))
    const { lanes } = await lookout.look(db, types)
    return lanes.flatMap(lane => {
      const rules = types.find(
        one => one.type === lane.type && one.schema_version === lane.schema_version,
      )
      return rules ? [open(rules, lane.tenant_id)] : []
    })
  }
  return async claim => {
    const { worker_id, claim_id } = claim
    if (claim.types.length === 0) return []
    for (let round = 0; round < rounds_max; round++) {
      const known = await lanesFor(claim)
      await standings.refresh(db, [...new Set(known.map(one => one.tenant_id))])
      const asked = askLanes(known, claim.max_jobs, deps)
      const { leases, short } = await db.tx(async tx => {
        await tx.run(sql`
          select pg_advisory_xact_lock(hashtext('jobs.claim'), hashtext(${claim_id}))`)
        const before = await claimedBefore(tx, keys, worker_id, claim_id)
        if (before.length > 0 || asked.length === 0) return { leases: before, short: false }
        const taken = await claimJobs(tx, keys, { worker_id, claim_id, grace_seconds }, asked)
        return { leases: taken, short: learn(deps, asked, taken).includes('short') }
      })
      if (leases.length > 0 || (!short && known.length > 0)) return leases
    }
    return []
  }
}
