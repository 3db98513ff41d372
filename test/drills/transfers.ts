/** Money that moves all the time while something fails: what was confirmed, and what was refused. */
import { setTimeout as wait } from 'node:timers/promises'
import { call, eventually, newKey } from '../world.ts'

export type Transfers = {
  /** Ids of the transfers that were confirmed, in order. */
  readonly confirmed: string[]
  /** Statuses of the others; 0 where no reply came. */
  readonly refused: Set<number>
  /** Waits until so many more were confirmed. */
  more(count: number): Promise<void>
  stop(): Promise<void>
}

const accounts_count = 4
/** A refusal is faster than a transfer, and would fill the machine. */
const pause_ms = 20

export async function startTransfers(url: string, token: string): Promise<Transfers> {
  const accounts: string[] = []
  for (let n = 0; n < accounts_count; n++) {
    const body = { name: `account ${n}`, balance_minor: 1_000_000 }
    accounts.push((await call(url, 'POST', '/v1/book/accounts', { token, body })).body.id as string)
  }
  const confirmed: string[] = []
  const refused = new Set<number>()
  let stopped = false
  const lanes = accounts.map(async (from_id, at) => {
    while (!stopped) {
      const body = { from_id, to_id: accounts[(at + 1) % accounts_count], amount_minor: 1 }
      const asked = { token, key: newKey(), body }
      const answer = await call(url, 'POST', '/v1/book/transfers', asked).catch(() => null)
      if (answer?.status === 201) confirmed.push(answer.body.id as string)
      else {
        refused.add(answer?.status ?? 0)
        await wait(pause_ms)
      }
    }
  })
  return {
    confirmed,
    refused,
    more: async count => {
      const before = confirmed.length
      await eventually('transfers go on', () => confirmed.length >= before + count)
    },
    stop: async () => {
      stopped = true
      await Promise.all(lanes)
    },
  }
}
