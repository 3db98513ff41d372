/**
 * How often each tenant was served, as far as it matters for whose turn it is: who comes after a pause
 * stands where the others are now, so that nobody saves up turns by waiting, and nobody starts far behind.
 */
const tenants_max = 10_000

export type Turns = {
  of(tenant_id: string): number
  /** How many jobs each tenant was given together. */
  served(jobs: ReadonlyMap<string, number>): void
}

export function openTurns(): Turns {
  const turns = new Map<string, number>()
  /** Where those who ask now stand: the turn of the last one that was served. */
  let now = 0
  const of = (tenant_id: string) => Math.max(turns.get(tenant_id) ?? 0, now)
  return {
    of,
    served: jobs => {
      const given = [...jobs].filter(([, count]) => count > 0)
      const before = given.map(([tenant_id]) => of(tenant_id))
      given.forEach(([tenant_id, count], at) => {
        // A Map keeps the order of insertion: the first is the one that was served longest ago.
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
