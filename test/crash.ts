/**
 * The crash matrix: a process of its own that kills itself (SIGKILL) when it passes a named point in the
 * code, while `act` works against it. Surfaces give their points, what to do, and what must hold after.
 */
import { setTimeout as after } from 'node:timers/promises'
import { expect } from 'vitest'
import { EndedAtStart, startProcess, type Entry } from './process.ts'
import type { World } from './world.ts'

const patience_ms = 40_000

/** Runs `act` against a process that dies at the n-th pass of `point`; resolves when it is dead. */
export async function killedAt(
  world: Pick<World, 'environment'>,
  point: string,
  act: (url: string) => Promise<unknown>,
  nth = 1,
  entry: Entry = 'test',
): Promise<void> {
  const environment = { ROLES: 'api,worker', KERNEL_FAULTS: `${point}=kill@${nth}` }
  try {
    const victim = await startProcess({ ...world.environment, ...environment }, entry)
    // Whether the caller got an answer depends on the point; that the process died there does not.
    const answer = await act(victim.url).catch((error: unknown) => error)
    const end = await Promise.race([victim.gone, after(patience_ms, undefined, { ref: false })])
    if (!end) {
      await victim.kill()
      throw new Error(`${point} was not passed; the answer was ${said(answer)}`)
    }
    expect(end).toEqual({ code: null, signal: 'SIGKILL' })
  } catch (error) {
    // Work that was left over from before may lead it to the point while it starts.
    if (!(error instanceof EndedAtStart)) throw error
    expect(error.signal).toBe('SIGKILL')
  }
}

function said(answer: unknown): string {
  const { status, text } = (answer ?? {}) as { status?: number; text?: string }
  return status === undefined ? String(answer) : `${status} ${text}`
}
