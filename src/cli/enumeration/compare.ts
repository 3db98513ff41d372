/**
 * Tests whether two sets of times could have the same distribution. The two-sample
 * Kolmogorov–Smirnov test detects any difference of two distributions. The medians are compared
 * too.
 */
export type Comparison = {
  readonly medians_ms: readonly [number, number]
  /** The difference of the medians, as a share of the first median. */
  readonly apart: number
  /** The largest distance between the two distributions, 0 to 1. */
  readonly distance: number
  /** The probability that two samples of one distribution have at least this distance. */
  readonly p: number
  readonly alike: boolean
}

const apart_max = 0.1
const p_min = 0.01

export function compare(one: readonly number[], other: readonly number[]): Comparison {
  if (one.length === 0 || other.length === 0) throw new Error('nothing to compare')
  const [first, second] = [sorted(one), sorted(other)]
  const medians_ms = [medianOf(first), medianOf(second)] as const
  const apart = Math.abs(medians_ms[1] - medians_ms[0]) / medians_ms[0]
  const distance = distanceOf(first, second)
  const p = chanceOf(distance, (first.length * second.length) / (first.length + second.length))
  return { medians_ms, apart, distance, p, alike: apart <= apart_max && p >= p_min }
}

function sorted(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b)
}

function medianOf(values: readonly number[]): number {
  const half = values.length >> 1
  const upper = values[half] ?? 0
  return values.length % 2 === 1 ? upper : ((values[half - 1] ?? 0) + upper) / 2
}

/**
 * For each value, takes the share of each set below that value. Returns the largest difference of
 * the two shares.
 */
function distanceOf(first: readonly number[], second: readonly number[]): number {
  let [i, j, most] = [0, 0, 0]
  while (i < first.length && j < second.length) {
    const value = Math.min(first[i] as number, second[j] as number)
    while ((first[i] ?? Infinity) <= value) i++
    while ((second[j] ?? Infinity) <= value) j++
    most = Math.max(most, Math.abs(i / first.length - j / second.length))
  }
  return most
}

/** Kolmogorov's distribution, with Stephens' correction for few values. */
function chanceOf(distance: number, effective: number): number {
  const root = Math.sqrt(effective)
  const lambda = (root + 0.12 + 0.11 / root) * distance
  // Near zero the series alternates around 1/2.
  if (lambda < 0.2) return 1
  let sum = 0
  for (let k = 1; k <= 100; k++) {
    sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k * k * lambda * lambda)
  }
  return Math.min(1, Math.max(0, sum))
}
