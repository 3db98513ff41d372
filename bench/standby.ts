/**
 * What a synchronous standby costs: keyed POSTs over the three hosts of test/nodes, where a commit waits
 * for a second host, against the same hosts without that. All of them share one machine, and their disks
 * are in its memory: on one real disk they would wait for each other. It needs root and the packages of the drills.
 */
import { StartError } from '#dodeca/kernel'
import { openDatabase, type Database } from '../test/nodes/database.ts'
import { enginesAreInstalled, openServices } from '../test/nodes/engines.ts'
import { openNetwork } from '../test/nodes/network.ts'
import { eventually } from '../test/world.ts'
import { makeAccounts, transferRequests } from './ground/accounts.ts'
import { ask } from './ground/database.ts'
import { load } from './ground/load.ts'
import { machineFacts } from './ground/machine.ts'
import { readOptions, type Options } from './ground/options.ts'
import { startPlatform } from './ground/platform.ts'
import { figure, print, standingsOf, write, type Section } from './ground/report.ts'
import { compete, ratioOf } from './ground/rounds.ts'

const connections = 32
const hosts = 3

if (!enginesAreInstalled) throw new StartError('This comparison needs the packages of test/nodes.')
const options = readOptions()
const network = await openNetwork(1 + hosts)
try {
  const services = await openServices(network, 1)
  try {
    const database = await openDatabase(network, 1, services.archive)
    try {
      const section = await measure(database, options)
      const [facts] = await ask(
        database.test_url,
        `select current_setting('server_version') as version, current_date::text as date`,
      )
      const machine = machineFacts(String(facts?.['version']), String(facts?.['date']))
      print(section, machine)
      if (options.report) await write('standby', [section], machine, false)
    } finally {
      await database.close()
    }
  } finally {
    await services.close()
  }
} finally {
  await network.close()
}

async function measure(database: Database, options: Options): Promise<Section> {
  const platform = await startPlatform({ database_url: database.test_url })
  try {
    await makeAccounts(database.test_url, platform.tenant_id)
    const requests = transferRequests(platform, 5000)
    const run = (synchronous: boolean) => async () => {
      await set(database, synchronous)
      const { port, pid } = platform
      return await load({ port, pid, connections, requests, status: 201 }, options)
    }
    const [without, standby] = await compete(
      [
        { name: 'without', run: run(false) },
        { name: 'with a synchronous standby', run: run(true) },
      ],
      options.rounds,
    )
    if (!without || !standby) throw new Error('a competitor is missing')
    return standingsOf(
      `Keyed POST with and without a synchronous standby, ${connections} connections`,
      [without, standby],
      [],
      [
        `With it ${figure(ratioOf(standby, without))} of the throughput without it, as the median of the rounds.`,
        'Both on three hosts of one machine, with disks in memory, over HAProxy and TLS, with the worker.',
      ],
    )
  } finally {
    await platform.stop()
  }
}

async function set(database: Database, synchronous: boolean): Promise<void> {
  const modes = ['synchronous_mode', 'synchronous_mode_strict']
  await database.control(
    'edit-config',
    '-q',
    '--force',
    ...modes.flatMap(one => ['-s', `${one}=${synchronous}`]),
  )
  await eventually('commits wait, or do not', async () => {
    const [row] = await ask(database.test_url, 'show synchronous_standby_names')
    return (row?.['synchronous_standby_names'] !== '') === synchronous
  })
  if (synchronous) await database.whole()
}
