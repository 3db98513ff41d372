/**
 * Finds work that holds a connection while it waits for another one. If as many requests do that at
 * once as there are connections, each waits for the others until all are refused. In a transaction
 * everything is read and written by `tx`. Development and tests check this. It costs a context for
 * each transaction.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export type OneConnection = {
  /** Runs the work of one transaction. */
  hold<T>(work: () => Promise<T>): Promise<T>
  /** Throws inside the work of a transaction that has not ended. */
  check(): void
}

export function oneConnection(): OneConnection {
  const held = new AsyncLocalStorage<{ is_open: boolean }>()
  return {
    hold: async work => {
      const mine = { is_open: true }
      try {
        return await held.run(mine, work)
      } finally {
        // Work that was started in the transaction and goes on after it may use any connection.
        mine.is_open = false
      }
    },
    check: () => {
      if (held.getStore()?.is_open) {
        throw new Error('a transaction must not wait for a second connection: use its `tx`')
      }
    },
  }
}

/** For production. */
export const unchecked: OneConnection = { hold: work => work(), check: () => {} }
