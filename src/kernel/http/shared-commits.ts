/**
 * Messages that arrive while a commit is running share the next commit, so under load many messages
 * wait for the disk together. A message that arrives alone is committed immediately. If a shared
 * commit fails, each of its messages gets its own transaction, so that only the bad message fails.
 */
type Waiting<Item> = {
  readonly items: readonly Item[]
  resolve(): void
  reject(error: unknown): void
}

/**
 * While two commits wait for the disk, a third can write. This handles an eighth more messages than
 * a maximum of two.
 */
const under_way_max = 3
const messages_max = 64

export function shareCommits<Item>(store: (items: readonly Item[]) => Promise<void>) {
  const waiting: Waiting<Item>[] = []
  let under_way = 0

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
    if (under_way >= under_way_max || waiting.length === 0) return
    under_way++
    void commit(waiting.splice(0, messages_max)).finally(() => {
      under_way--
      next()
    })
  }
  return (items: readonly Item[]): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject })
      next()
    })
}
