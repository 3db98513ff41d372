/** Visitors who follow a link repeatedly, and record when they asked and what the reply was. */
import { setTimeout as wait } from 'node:timers/promises'

export type Visit = {
  readonly began_ms: number
  readonly ended_ms: number
  /** Null where no answer came. */
  readonly status: number | null
  readonly location: string | null
  readonly headers: Headers | null
  readonly failure: string | null
}

export type Visitors = {
  readonly visits: readonly Visit[]
  /** Until so many more of them were answered. */
  more(count: number): Promise<void>
  stop(): Promise<readonly Visit[]>
}

export async function visit(url: string, headers: Record<string, string> = {}): Promise<Visit> {
  const began_ms = performance.now()
  try {
    const response = await fetch(url, { redirect: 'manual', headers })
    await response.arrayBuffer()
    const { status } = response
    const location = response.headers.get('location')
    const ended_ms = performance.now()
    return { began_ms, ended_ms, status, location, headers: response.headers, failure: null }
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    const failure = cause?.code ?? String(error)
    return { ...nothing, began_ms, ended_ms: performance.now(), failure }
  }
}

const nothing = { status: null, location: null, headers: null }

export function startVisitors(url: string, count = 8, headers = {}): Visitors {
  const visits: Visit[] = []
  let stopped = false
  const visitors = Array.from({ length: count }, async () => {
    while (!stopped) {
      const one = await visit(url, headers)
      visits.push(one)
      // A server that is not there refuses as fast as one can ask.
      if (one.status === null) await wait(20)
    }
  })
  const answered = () => visits.filter(({ status }) => status !== null).length
  return {
    visits,
    more: async more => {
      const until = answered() + more
      while (answered() < until) await wait(5)
    },
    stop: async () => {
      stopped = true
      await Promise.all(visitors)
      return visits
    },
  }
}
