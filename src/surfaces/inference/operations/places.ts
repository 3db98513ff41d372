/**
 * Limits the concurrent calls of one deployment in this process. A call above the limit is refused
 * immediately.
 */
export class Places {
  private readonly taken = new Map<string, number>()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** Returns the function that releases the place, or undefined if none is free. */
  take(deployment_id: string): (() => void) | undefined {
    const now = this.taken.get(deployment_id) ?? 0
    if (now >= this.most) return undefined
    this.taken.set(deployment_id, now + 1)
    let given_back = false
    return () => {
      if (given_back) return
      given_back = true
      const left = (this.taken.get(deployment_id) ?? 1) - 1
      if (left === 0) this.taken.delete(deployment_id)
      else this.taken.set(deployment_id, left)
    }
  }
}
