/**
 * What the log of failed requests costs: the program with it and without it in turns, under reads that
 * succeed, which it only passes, and under a flood of refused tokens, which it counts.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { comparison, type Bench } from './ground/comparison.ts'
import { load, requestText } from './ground/load.ts'
import { productionEnvironment } from './ground/platform.ts'
import { makePeople } from './ground/product.ts'
import { startProgram } from './ground/program.ts'
import { ratioVerdict, standingsOf } from './ground/report.ts'
import { compete } from './ground/rounds.ts'

const connections = 16

await comparison('request-log', async ({ options, database }) => {
  const url = await database.create('request_log')
  const kept = await start(url, options, '7')
  const off = await start(url, options, '0')
  const [person] = await makePeople(kept.port, 1)
  if (!person) throw new Error('nobody has logged in')
  person.wire.close()
  const asked = {
    'a read': { token: person.access_token, status: 200, least: 0.98 },
    'a refused token': { token: `${person.access_token}x`, status: 401, least: 0.95 },
  }
  const sections = []
  for (const [title, { token, status, least }] of Object.entries(asked)) {
    const requests = [requestText({ path: '/v1/me', token })]
    const over = ({ port, pid }: typeof kept) =>
      load({ port, pid, connections, requests, status }, options)
    const found = await compete(
      [
        { name: 'without the log', run: () => over(off) },
        { name: 'with the log', run: () => over(kept) },
      ],
      options.rounds,
    )
    const [without, with_log] = found
    if (!without || !with_log) throw new Error('a competitor is missing')
    sections.push(
      standingsOf(`The log of failed requests: ${title}, ${connections} connections`, found, [
        ratioVerdict(with_log, without, least),
      ]),
    )
  }
  await kept.stop()
  await off.stop()
  return sections
})

async function start(url: string, { profile }: Bench['options'], days: string) {
  const folder = await mkdtemp(join(tmpdir(), 'dodeca-bench-log-'))
  const program = await startProgram(
    {
      ...productionEnvironment(url),
      DATA_DIR: folder,
      PUBLIC_URL: 'http://dodeca.test',
      IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
      KERNEL_REQUEST_LOG_DAYS: days,
    },
    { side: 'server', profile },
  )
  const stop = async () => {
    await program.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  return { ...program, stop }
}
