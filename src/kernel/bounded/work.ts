/**
 * How much one check of user input may cost. Steps are counted instead of time, so that the limit
 * is the same on every machine and the same input always has the same outcome.
 */

/**
 * A pattern or schema that is not accepted; the message says what is wrong and what to write
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

/** The check was stopped: the value is too large for this pattern or schema. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork'
}

/** This many steps take 4 to 30 ms (`bench/hostile.ts`); other requests wait that long. */
export const steps_max = 400_000

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
