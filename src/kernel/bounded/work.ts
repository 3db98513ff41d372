/**
 * Limits how much one check of input from outside may cost. It counts steps and not time. So a slow
 * machine has the same limit as a fast one, and the same input always has the same outcome.
 */

/**
 * The pattern or schema is not accepted. The message says which part is wrong and how to write it
 * instead.
 */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly pointer: string

  constructor(message: string, pointer = '') {
    super(message)
    this.pointer = pointer
  }
}

/** The check was stopped, because the input is too large for this pattern or schema. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork'
}

/** This many steps take 2 to 20 ms (`bench/hostile.ts`). Other requests wait for that time. */
export const steps_max = 200_000

export class Work {
  private left: number

  constructor(steps = steps_max) {
    this.left = steps
  }

  spend(steps: number): void {
    this.left -= steps
    if (this.left < 0) throw new TooMuchWork('the check needs too many steps')
  }

  get steps_left(): number {
    return this.left
  }
}
