/** The processor time of all processes of PostgreSQL while the platform answers. */
import { processorSeconds } from '../ground/machine.ts'
import { databaseProcesses, type Linked } from './prepare.ts'

export type Cost = { readonly database_us: number }

/** Starts to count. Call the returned function with the number of requests. */
export async function costOf({ url }: Linked): Promise<(requests: number) => Promise<Cost>> {
  const own = await databaseProcesses(url)
  const before = await sum(own)
  return async requests => {
    // A process that started meanwhile began at zero.
    const after = await sum([...new Set([...own, ...(await databaseProcesses(url))])])
    return { database_us: ((after - before) * 1e6) / requests }
  }
}

async function sum(pids: readonly string[]): Promise<number> {
  const seconds = await Promise.all(pids.map(pid => processorSeconds(Number(pid))))
  return seconds.reduce<number>((all, one) => all + (one ?? 0), 0)
}
