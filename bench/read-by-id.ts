/**
 * Reading one row by its id: PostgreSQL alone with the same SELECT is the limit, and Fastify with pg,
 * without identity, permission or limits, is what a plain server makes of it.
 */
import { makeAccounts, accountId, readRequests } from './ground/accounts.ts'
import { sample, startBare } from './ground/bare.ts'
import { comparison } from './ground/comparison.ts'
import { load } from './ground/load.ts'
import { findPgbench, pgbench } from './ground/pgbench.ts'
import { startPlatform } from './ground/platform.ts'
import { coresNote, costNote, ratioVerdict, standingsOf } from './ground/report.ts'
import { compete } from './ground/rounds.ts'
import { read_account } from './ground/statements.ts'

const connections = 16

await comparison('read-by-id', async ({ options, database }) => {
  const program = await findPgbench()
  const url = await database.create('read_by_id')
  const platform = await startPlatform({
    database_url: url,
    roles: 'api',
    profile: options.profile,
  })
  const { token, tenant_id } = platform
  await makeAccounts(url, tenant_id)
  const { headers } = await sample(platform.port, `/v1/book/accounts/${accountId(1)}`, token)
  const raw = await startBare({ kind: 'fastify-pg', headers, database_url: url, tenant_id })
  const requests = readRequests(platform)
  const over = ({ port, pid }: { port: number; pid: number | undefined }) =>
    load({ port, pid, connections, requests }, options)
  const alone = {
    program,
    url,
    script: read_account,
    clients: 16,
    variables: { tenant: tenant_id },
  }
  const [limit, plain, ours] = await compete(
    [
      { name: 'pgbench', run: () => pgbench(alone, options) },
      { name: 'fastify + pg', run: () => over(raw) },
      { name: 'dodeca', run: () => over(platform) },
    ],
    options.rounds,
  )
  await raw.stop()
  await platform.stop()
  if (!limit || !plain || !ours) throw new Error('a competitor is missing')
  return [
    standingsOf(
      'GET by id (one SELECT), 16 connections',
      [limit, plain, ours],
      [ratioVerdict(ours, plain, 0.8), ratioVerdict(ours, limit, 0.35)],
      [costNote(ours, plain), coresNote(ours, limit)],
    ),
  ]
})
