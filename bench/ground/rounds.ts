/**
 * Contenders are measured in turns (A B C, A B C, …), so that other load on the machine affects all
 * of them, and each is represented by its median. A ratio is taken within each turn, and the median
 * of the ratios is reported.
 */
export type Measure = {
  readonly per_second: number
  readonly p50_ms: number
  readonly p99_ms: number
  /** Processor time of the server's process for one request; null if there is no such process. */
  readonly cpu_us: number | null
  /** The part of it outside the operating system. */
  readonly user_us?: number | null
  readonly unexpected: number
}

export type Contender = { readonly name: string; run(): Promise<Measure> }

export type Standing = Measure & { readonly name: string; readonly turns: readonly Measure[] }

export async function compete(
  contenders: readonly Contender[],
  rounds: number,
): Promise<readonly Standing[]> {
  const turns = contenders.map((): Measure[] => [])
  for (let round = 1; round <= rounds; round++) {
    for (const [index, { name, run }] of contenders.entries()) {
      const measure = await run()
      turns[index]?.push(measure)
      process.stderr.write(
        `  round ${round}: ${name} ${Math.round(measure.per_second)}/s` +
          `${measure.unexpected > 0 ? `, ${measure.unexpected} unexpected answers` : ''}\n`,
      )
    }
  }
  return contenders.map(({ name }, index) => standingOf(name, turns[index] ?? []))
}

function standingOf(name: string, turns: readonly Measure[]): Standing {
  const processor = turns.flatMap(one => one.cpu_us ?? [])
  const user = turns.flatMap(one => one.user_us ?? [])
  return {
    name,
    turns,
    per_second: median(turns.map(one => one.per_second)),
    p50_ms: median(turns.map(one => one.p50_ms)),
    p99_ms: median(turns.map(one => one.p99_ms)),
    cpu_us: processor.length > 0 ? median(processor) : null,
    user_us: user.length > 0 ? median(user) : null,
    unexpected: turns.reduce((sum, one) => sum + one.unexpected, 0),
  }
}

/** The median over the rounds of the ratio of two contenders. */
export function ratioOf(one: Standing, other: Standing): number {
  return median(
    one.turns.map(
      (turn, index) => turn.per_second / (other.turns[index]?.per_second ?? Number.NaN),
    ),
  )
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
