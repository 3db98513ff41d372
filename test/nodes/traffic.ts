/**
 * One client of each surface, who calls the proxy again and again while something fails: with a time limit
 * for each request, and a repeat under the same key until the request is decided. What the client saw is
 * recorded, and afterwards counted against what is kept.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '#dodeca/kernel'
import { call, eventually, newKey, type Answer } from '../world.ts'
import type { Insist, Operation } from './operation.ts'

/** What the client of one surface saw. */
export type Seen = {
  readonly surface: string
  readonly operations: number
  /** How often each status came that was no success; `none` where no reply came in time. */
  readonly failures: Readonly<Record<string, number>>
  /** The longest operation, with all its repeats. */
  readonly longest_ms: number
  /** From the end of the fault to the first operation after the last failure. */
  readonly again_ms: number
}

export type Outcome = { readonly lost: readonly string[]; readonly doubled: readonly string[] }

export type Traffic = {
  /** Waits until each client has sent a request. */
  begun(): Promise<void>
  /** Waits until each surface has done so many operations that began from now on. */
  more(operations?: number): Promise<void>
  /** Call it when the fault has ended. */
  ended(): void
  stop(): Promise<Seen[]>
}

/** As the client library's: longer than the platform's own limits, but not endless. */
const request_ms = 10_000
/** Between two operations of one client: the load is that of people, not of a benchmark. */
const pause_ms = 700
const repeat_ms = 150
const patience_ms = 200_000

type Done = { readonly began_ms: number; readonly ended_ms: number }
type Client = {
  readonly operation: Operation
  readonly done: Done[]
  readonly failures: Record<string, number>
  requests: number
  failed_ms: number
}

/** Everything that was acknowledged since the start of the test, by surface. */
export type Acknowledged = Map<Operation, string[]>

export function startTraffic(
  operations: readonly Operation[],
  acknowledged: Acknowledged,
  addressOf: (at: string) => string,
): Traffic {
  const stopping = new AbortController()
  const clients = operations.map<Client>(operation => {
    return { operation, done: [], failures: {}, requests: 0, failed_ms: 0 }
  })
  const errors: Error[] = []
  const acting = clients.map(client =>
    act(client, acknowledged, addressOf, stopping.signal).catch((error: unknown) => {
      errors.push(error as Error)
    }),
  )
  const check = () => {
    if (errors[0]) throw errors[0]
  }
  let ended_ms = performance.now()
  return {
    begun: async () => {
      const all = () => clients.every(one => one.requests > 0)
      await eventually('every client has sent a request', all)
    },
    more: async (operations = 1) => {
      const from_ms = performance.now()
      const behind = () =>
        clients.filter(one => one.done.filter(it => it.began_ms > from_ms).length < operations)
      const enough = () => {
        check()
        return behind().length === 0
      }
      await eventually('every surface does more', enough, patience_ms).catch((error: unknown) => {
        const names = behind().map(one => [one.operation.surface, one.failures])
        throw new Error(`${String(error)}: ${JSON.stringify(names)}`, { cause: error })
      })
    },
    ended: () => {
      ended_ms = performance.now()
    },
    stop: async () => {
      stopping.abort()
      await Promise.all(acting)
      check()
      return clients.map(client => seenBy(client, ended_ms))
    },
  }
}

async function act(
  client: Client,
  acknowledged: Acknowledged,
  addressOf: (at: string) => string,
  stopping: AbortSignal,
): Promise<void> {
  const { operation, done } = client
  const insist = insistently(client, addressOf)
  while (!stopping.aborted) {
    const began_ms = performance.now()
    const id = await operation.make(insist)
    acknowledged.set(operation, [...(acknowledged.get(operation) ?? []), id])
    done.push({ began_ms, ended_ms: performance.now() })
    await wait(pause_ms)
  }
}

function insistently(client: Client, addressOf: (at: string) => string): Insist {
  const { failures } = client
  return async ({ token }, method, at, body) => {
    const key = method === 'POST' ? { key: newKey() } : {}
    const deadline = performance.now() + patience_ms
    for (let attempts = 1; ; attempts++) {
      const asked = { ...(token ? { token } : {}), body, ...key }
      client.requests++
      const signal = AbortSignal.timeout(request_ms)
      const answer = await call(addressOf(at), method, '', { ...asked, signal }).catch(() => null)
      if (answer && answer.status < 400) return { ...answer, attempts }
      const name = answer ? String(answer.status) : 'none'
      failures[name] = (failures[name] ?? 0) + 1
      client.failed_ms = performance.now()
      if (isDecided(answer) || performance.now() > deadline) {
        throw new Error(`${method} ${at}: ${name} ${answer?.text ?? ''}`)
      }
      await wait(repeat_ms)
    }
  }
}

/** A refusal; everything else may come right under the same key. */
function isDecided(answer: Answer | null): boolean {
  if (!answer || answer.status >= 500) return false
  return !(answer.status === 409 && String(answer.body?.code).endsWith('_in_progress'))
}

function seenBy({ operation, done, failures, failed_ms }: Client, ended_ms: number): Seen {
  const from_ms = Math.max(failed_ms, ended_ms)
  const again = done.find(one => one.ended_ms >= from_ms)
  return {
    surface: operation.surface,
    operations: done.length,
    failures,
    longest_ms: Math.max(...done.map(one => one.ended_ms - one.began_ms)),
    again_ms: (again?.ended_ms ?? from_ms) - ended_ms,
  }
}

/** How many operations are not complete, or not once; `unknown` ones were never acknowledged. */
export async function outcomeOf(
  operation: Operation,
  acknowledged: Acknowledged,
  db: Db,
): Promise<Outcome> {
  const made = acknowledged.get(operation) ?? []
  const counts = new Map((await operation.effects(db)).map(one => [one.id, one]))
  const distinct = new Set(made)
  return {
    lost: made.filter(id => (counts.get(id)?.least ?? 0) < 1),
    // Each request was decided, so what is there beside them was made by a repeat.
    doubled: [...counts.values()]
      .filter(({ id, most }) => most > 1 || !distinct.has(id))
      .map(({ id }) => id),
  }
}
