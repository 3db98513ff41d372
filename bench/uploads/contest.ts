/** How contenders of this comparison are timed and set side by side. */
import { ratioVerdict, standingsOf } from '../ground/report.ts'
import { compete, type Contender, type Measure } from '../ground/rounds.ts'

export async function timed(
  count: number,
  work: (n: number) => Promise<boolean>,
): Promise<Measure> {
  const each: number[] = []
  let unexpected = 0
  const begun = performance.now()
  for (let n = 0; n < count; n++) {
    const start = performance.now()
    if (!(await work(n))) unexpected++
    each.push(performance.now() - start)
  }
  each.sort((a, b) => a - b)
  return {
    per_second: count / ((performance.now() - begun) / 1000),
    p50_ms: each[each.length >> 1] ?? 0,
    p99_ms: each.at(-1) ?? 0,
    cpu_us: null,
    unexpected,
  }
}

export async function contest(
  title: string,
  contenders: Contender[],
  rounds: number,
  targets: number[],
  notes: string[],
) {
  const standings = await compete(contenders, rounds)
  const [ours, ...others] = standings
  const verdicts = others.flatMap((other, at) =>
    ours && targets[at] !== undefined ? [ratioVerdict(ours, other, targets[at])] : [],
  )
  return standingsOf(title, standings, verdicts, notes)
}
