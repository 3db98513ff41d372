/**
 * A keyed POST (look-up, effect, events, record, COMMIT) against pgbench with the same statements in
 * the same packets. The platform is measured as a process that only answers requests, as pgbench is,
 * and beside it as one that also gives its events their positions and consumes them.
 */
import { makeAccounts, transferRequests } from './ground/accounts.ts'
import { comparison } from './ground/comparison.ts'
import { load } from './ground/load.ts'
import { findPgbench, pgbench } from './ground/pgbench.ts'
import { startPlatform, type Platform } from './ground/platform.ts'
import { coresNote, ratioVerdict, standingsOf } from './ground/report.ts'
import { compete } from './ground/rounds.ts'
import { keyed_transfer } from './ground/statements.ts'

const connections = 32

await comparison('keyed-write', async ({ options, database }) => {
  const program = await findPgbench()
  const url = await database.create('keyed_write')
  const whole_url = await database.create('keyed_write_whole')
  const { profile } = options
  const platform = await startPlatform({ database_url: url, roles: 'api', profile })
  await makeAccounts(url, platform.tenant_id)
  const whole = await startPlatform({ database_url: whole_url, roles: 'api,worker' })
  await makeAccounts(whole_url, whole.tenant_id)
  const over = (one: Platform, requests: readonly string[]) => () =>
    load({ port: one.port, pid: one.pid, connections, requests, status: 201 }, options)
  const variables = { tenant: platform.tenant_id, person: platform.person_id }
  const alone = { program, url, script: keyed_transfer, clients: connections, variables }
  const [limit, ours, all] = await compete(
    [
      { name: 'pgbench', run: () => pgbench(alone, options) },
      { name: 'dodeca', run: over(platform, transferRequests(platform, 5000)) },
      { name: 'dodeca with its worker', run: over(whole, transferRequests(whole, 5000)) },
    ],
    options.rounds,
  )
  await platform.stop()
  await whole.stop()
  if (!limit || !ours || !all) throw new Error('a competitor is missing')
  return [
    standingsOf(
      'Keyed POST, 32 connections',
      [limit, ours, all],
      [
        ratioVerdict(ours, limit, 0.55),
        {
          says: 'p99 of dodeca / p99 of pgbench',
          reached: ours.p99_ms / limit.p99_ms,
          target: 2,
          unit: '',
          wanted: 'at most',
        },
      ],
      [
        coresNote(ours, limit),
        'The worker gives two events a transfer their positions and consumes them, in the same process.',
      ],
    ),
  ]
})
