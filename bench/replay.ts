/** Replaying a recorded outcome against reading by id: a retry must not cost much more than a read. */
import { makeAccounts, readRequests, transferBody, transferRequests } from './ground/accounts.ts'
import { comparison } from './ground/comparison.ts'
import { load } from './ground/load.ts'
import { startPlatform, type Platform } from './ground/platform.ts'
import { costNote, ratioVerdict, standingsOf } from './ground/report.ts'
import { compete } from './ground/rounds.ts'

const connections = 16
const recorded_count = 2000

await comparison('replay', async ({ options, database }) => {
  const url = await database.create('replay')
  const platform = await startPlatform({
    database_url: url,
    roles: 'api',
    profile: options.profile,
  })
  await makeAccounts(url, platform.tenant_id)
  await record(platform)
  const { port, pid } = platform
  const over = (requests: readonly string[], status: number) => () =>
    load({ port, pid, connections, requests, status }, options)
  const replays = transferRequests(platform, recorded_count, keyOf)
  const [reads, ours] = await compete(
    [
      { name: 'GET by id', run: over(readRequests(platform), 200) },
      { name: 'replay', run: over(replays, 201) },
    ],
    options.rounds,
  )
  await platform.stop()
  if (!reads || !ours) throw new Error('a competitor is missing')
  return [
    standingsOf(
      'Replay of a recorded outcome, 16 connections',
      [reads, ours],
      [ratioVerdict(ours, reads, 0.75)],
      [
        costNote(ours, reads),
        'A replay also checks the permission again: the route requires a granted one, the read does not.',
      ],
    ),
  ]
})

function keyOf(number: number): string {
  return `bench-recorded-${String(number).padStart(8, '0')}`
}

async function record({ port, token }: Platform): Promise<void> {
  const numbers = Array.from({ length: recorded_count }, (_, number) => number)
  const send = async (): Promise<void> => {
    for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
      const response = await fetch(`http://127.0.0.1:${port}/v1/book/transfers`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': keyOf(number),
        },
        body: JSON.stringify(transferBody(number)),
      })
      await response.arrayBuffer()
      if (response.status !== 201) throw new Error(`a transfer answered ${response.status}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, send))
}
