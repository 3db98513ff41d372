/**
 * Ends that come too late: leases expire, other processes take the jobs, and the first holders
 * finish.
 */
import type { Bench } from '../ground/comparison.ts'
import { openClaims, stallAll } from '../ground/queues/claims.ts'
import { figure, type Section } from '../ground/report.ts'

export async function stalls(bench: Bench): Promise<readonly Section[]> {
  const stalling = await openClaims(await bench.database.create('jobs_stalls'))
  const { stale, taken } = await stallAll(stalling, 10_000)
  await stalling.close()
  return [
    {
      title: 'Ends that come after the lease lapsed',
      columns: ['', 'presented', 'taken'],
      rows: [['with the version they knew, and with the newest', figure(stale), figure(taken)]],
      verdicts: [
        { says: 'stale ends taken', reached: taken, target: 0, unit: '', wanted: 'at most' },
      ],
      notes: [
        '`npm run chaos` has the same as a race: leases lapse while their ends are on the way.',
      ],
    },
  ]
}
