/** What the steps of one attempt share. */
import type { Deps } from '../deps.ts'
import type { Ended, Lease } from './record-step.ts'

export type StepDeps = Pick<Deps, 'kernel' | 'types' | 'listeners' | 'quota' | 'files'>

export type Attempting = {
  readonly deps: StepDeps
  readonly lease: Lease
  readonly ended: Ended
  /** Whether the stored wait of a step is still there, and open. */
  wait(name: string): 'none' | 'closed' | 'open'
  /** The number of the next step, if the run may have one more. An undo always has one. */
  next(is_undo?: boolean): number
}
