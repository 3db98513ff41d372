/**
 * Divides the free slots. Each slot goes to the tenant with the fewest running jobs. Among tenants
 * with the same number, it goes to the tenant that was served longest ago. Within a tenant, slots
 * go to its lanes in turn. So the share of a tenant depends only on the number of waiting tenants,
 * and not on the number of jobs that a tenant has submitted, nor on priorities.
 */
export type OpenLane = {
  readonly tenant_id: string
  /**
   * The maximum number of jobs that this lane may start: its cap minus its running jobs, or no
   * limit.
   */
  readonly room: number
}

export type TenantStanding = {
  /** Jobs of the tenant that run now. */
  readonly running: number
  /** The turn number in which the tenant was last served. A greater number is more recent. */
  readonly turn: number
}

/** Returns how many jobs each lane may start, in the order of `lanes`. */
export function shareOut(
  lanes: readonly OpenLane[],
  free: number,
  tenant_limit: number,
  standing: (tenant_id: string) => TenantStanding,
): number[] {
  const quotas = lanes.map(() => 0)
  const tenants = tenantsOf(lanes, tenant_limit, standing)
  for (let left = free; left > 0; left--) {
    const next = poorest(tenants)
    if (!next) break
    const lane = next.lanes.find(at => (lanes[at]?.room ?? 0) > (quotas[at] ?? 0))
    if (lane === undefined) {
      tenants.delete(next)
      left++
      continue
    }
    quotas[lane] = (quotas[lane] ?? 0) + 1
    next.held++
    next.turn++
    // The tenant's other lanes are first the next time.
    next.lanes = [...next.lanes.filter(at => at !== lane), lane]
    if (next.held >= tenant_limit) tenants.delete(next)
  }
  return quotas
}

type Asking = { held: number; turn: number; lanes: number[] }

function tenantsOf(
  lanes: readonly OpenLane[],
  tenant_limit: number,
  standing: (tenant_id: string) => TenantStanding,
): Set<Asking> {
  const tenants = new Map<string, Asking>()
  lanes.forEach(({ tenant_id }, at) => {
    const known = tenants.get(tenant_id)
    if (known) return void known.lanes.push(at)
    const { running, turn } = standing(tenant_id)
    if (running < tenant_limit) tenants.set(tenant_id, { held: running, turn, lanes: [at] })
  })
  return new Set(tenants.values())
}

function poorest(tenants: ReadonlySet<Asking>): Asking | undefined {
  let found: Asking | undefined
  for (const one of tenants) {
    if (!found || one.held < found.held || (one.held === found.held && one.turn < found.turn)) {
      found = one
    }
  }
  return found
}

const tenants_max = 10_000

export type Turns = {
  of(tenant_id: string): number
  /** The number of jobs that each tenant got in total. */
  served(jobs: ReadonlyMap<string, number>): void
}

export function openTurns(): Turns {
  const turns = new Map<string, number>()
  /** The position of a new tenant: the turn of the tenant that was served last. */
  let now = 0
  const of = (tenant_id: string) => Math.max(turns.get(tenant_id) ?? 0, now)
  return {
    of,
    served: jobs => {
      const given = [...jobs].filter(([, count]) => count > 0)
      const before = given.map(([tenant_id]) => of(tenant_id))
      given.forEach(([tenant_id, count], at) => {
        // The tenant that was served longest ago is first, because a Map keeps the order of
        // insertion.
        turns.delete(tenant_id)
        turns.set(tenant_id, (before[at] ?? 0) + count)
      })
      now = Math.max(now, ...before)
      for (const oldest of turns.keys()) {
        if (turns.size <= tenants_max) break
        turns.delete(oldest)
      }
    },
  }
}
