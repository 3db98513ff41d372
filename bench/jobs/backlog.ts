/** What a claim costs with much waiting behind it: the functions of the worker protocol, one after the other. */
import type { Bench } from '../ground/comparison.ts'
import { claimTimes, fill, openClaims } from '../ground/queues/claims.ts'
import { figure, type Section } from '../ground/report.ts'

const claims = 400
const warm = 50
const each = 10

export async function backlog(bench: Bench): Promise<readonly Section[]> {
  const rows: string[][] = []
  const found: number[] = []
  for (const [name, behind] of [
    ['nothing', 0],
    ['100,000', 100_000],
    ['1,000,000', 1_000_000],
  ] as const) {
    const open = await openClaims(await bench.database.create(`jobs_backlog_${behind}`))
    await fill(open, (claims + warm) * each + behind, 1000)
    await claimTimes(open, warm, each)
    const { p50, p99 } = await claimTimes(open, claims, each)
    found.push(p99)
    rows.push([`${name} behind them`, figure(p50), figure(p99)])
    await open.close()
  }
  return [
    {
      title: 'A claim of ten jobs, of a thousand tenants',
      columns: ['', 'p50 ms', 'p99 ms'],
      rows,
      verdicts: [
        {
          says: 'p99 with a million behind / with nothing',
          reached: (found.at(-1) ?? Number.NaN) / (found[0] ?? Number.NaN),
          target: 2,
          unit: '',
          wanted: 'at most',
        },
      ],
      notes: [
        `${claims} claims each, after ${warm} that do not count, over a backlog that a vacuum has seen.`,
      ],
    },
  ]
}
