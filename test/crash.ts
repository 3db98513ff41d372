/**
 * The crash matrix: a process of its own that kills itself (SIGKILL) when it passes a named point in the
 * code, while `act` works against it. Surfaces give their points, what to do, and what must hold after.
 */
import { untilKilled } from '../src/testing/process.ts'
import { startProcess, type Entry } from './process.ts'
import type { World } from './world.ts'

/** Runs `act` against a process that dies at the n-th pass of `point`; resolves when it is dead. */
export function killedAt(
  world: Pick<World, 'environment'>,
  point: string,
  act: (url: string) => Promise<unknown>,
  nth = 1,
  entry: Entry = 'test',
): Promise<void> {
  const environment = { ROLES: 'api,worker', KERNEL_FAULTS: `${point}=kill@${nth}` }
  return untilKilled(
    () => startProcess({ ...world.environment, ...environment }, entry),
    point,
    act,
  )
}
