/**
 * Places for work that takes long, such as processes that open files of users, shared by tenants. The
 * tenant with the fewest places gets the next one. If a tenant holds several and others wait that hold
 * none, there is one place more for them: so files that are made to take long do not stop the files of
 * other tenants, and a tenant that is alone uses all places.
 */
export type FairPlaces = {
  /** Resolves when there is a place; the result gives it back. Rejects with the signal's reason. */
  take(tenant_id: string, signal?: AbortSignal): Promise<() => void>
}

type Waiting = { readonly tenant_id: string; readonly enter: (leave: () => void) => void }

export function openFairPlaces(places: number): FairPlaces {
  const held = new Map<string, number>()
  const waiting: Waiting[] = []
  let taken = 0
  const heldBy = (tenant_id: string) => held.get(tenant_id) ?? 0
  const fits = (tenant_id: string) => {
    if (taken < places) return true
    if (taken > places || heldBy(tenant_id) > 0) return false
    return [...held.values()].some(count => count > 1)
  }
  const enterNext = () => {
    for (;;) {
      const [next] = waiting
        .filter(one => fits(one.tenant_id))
        .sort((one, other) => heldBy(one.tenant_id) - heldBy(other.tenant_id))
      if (!next) return
      waiting.splice(waiting.indexOf(next), 1)
      taken++
      held.set(next.tenant_id, heldBy(next.tenant_id) + 1)
      next.enter(() => leave(next.tenant_id))
    }
  }
  const leave = (tenant_id: string) => {
    taken--
    const left = heldBy(tenant_id) - 1
    if (left === 0) held.delete(tenant_id)
    else held.set(tenant_id, left)
    enterNext()
  }
  return {
    take: (tenant_id, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error)
        const one: Waiting = {
          tenant_id,
          enter: give => {
            signal?.removeEventListener('abort', stop)
            resolve(give)
          },
        }
        const stop = () => {
          waiting.splice(waiting.indexOf(one), 1)
          reject(signal?.reason as Error)
        }
        signal?.addEventListener('abort', stop, { once: true })
        waiting.push(one)
        enterNext()
      }),
  }
}
