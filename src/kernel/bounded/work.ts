/**
 * How much one check of foreign input may cost. Steps are counted where they are made, so that the limit
 * holds on a slow machine as on a fast one and the same input always has the same outcome.
 */

/** A pattern or schema that is not taken; its message says what is wrong and what would do. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly pointer: string

  constructor(message: string, pointer = '') {
    super(message)
    this.pointer = pointer
  }
}

/** The check was stopped: what is checked is too large for what it is checked against. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork'
}

/** So many take 2 to 20 ms (`bench/hostile.ts`): for so long, other requests wait. */
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
