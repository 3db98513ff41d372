/**
 * Messages that arrive while a commit is under way share the next one: under load many wait for the disk
 * together. A message alone is committed at once. Where a shared commit fails, each of its messages
 * gets one of its own, so that one bad message fails alone.
 */
type Waiting<Item> = {
  readonly items: readonly Item[]
  resolve(): void
  reject(error: unknown): void
}

const messages_max = 64

export function shareCommits<Item>(store: (items: readonly Item[]) => Promise<void>) {
  const waiting: Waiting<Item>[] = []
  let busy = false

  const commit = async (some: readonly Waiting<Item>[]): Promise<void> => {
    try {
      await store(some.flatMap(({ items }) => items))
      for (const { resolve } of some) resolve()
    } catch (error) {
      const [only, ...others] = some
      if (others.length === 0) return only?.reject(error)
      await Promise.all(some.map(one => commit([one])))
    }
  }
  const next = (): void => {
    if (busy || waiting.length === 0) return
    busy = true
    void commit(waiting.splice(0, messages_max)).finally(() => {
      busy = false
      next()
    })
  }
  return (items: readonly Item[]): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject })
      next()
    })
}
