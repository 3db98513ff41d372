/**
 * More clients than a process can serve: what those that are served wait, and how many are served, with
 * the refusal of requests that have waited too long and without it. And one client on a machine that
 * is busy with other work: it must not be refused at all.
 */
import { fileURLToPath } from 'node:url'
import { startBeating } from './ground/beating.ts'
import { comparison, type Bench } from './ground/comparison.ts'
import { load, requestText } from './ground/load.ts'
import { productionEnvironment } from './ground/platform.ts'
import { ratioVerdict, standingsOf, type Section } from './ground/report.ts'
import { compete, median } from './ground/rounds.ts'
import type { Ready } from './overload/platform-process.ts'
import { starved } from './overload/starved.ts'

const clients = 800

await comparison('overload', async bench => {
  const { only } = bench.options
  const sections: Section[] = []
  if (only !== 'starved') sections.push(await crowded(bench))
  if (only !== 'crowd') sections.push(await starved(bench))
  return sections
})

async function crowded({ options, database }: Bench): Promise<Section> {
  const start = async (name: string, settings: Record<string, string>) => {
    const platform = await startBeating<Ready>({
      side: 'server',
      program: process.execPath,
      args: [fileURLToPath(new URL('./overload/platform-process.ts', import.meta.url))],
      env: { ...productionEnvironment(await database.create(name)), ROLES: 'api', ...settings },
    })
    const { port, pid, token } = platform
    const requests = [requestText({ path: '/v1/work', token })]
    const run = () => load({ port, pid, connections: clients, requests }, options)
    return { run, stop: platform.stop }
  }
  const shedding = await start('overload_shedding', {})
  const all = await start('overload_all', { KERNEL_OVERLOAD_DELAY_MS: '60000' })
  const [ours, without] = await compete(
    [
      { name: 'dodeca', run: shedding.run },
      { name: 'without refusals', run: all.run },
    ],
    options.rounds,
  )
  await shedding.stop()
  await all.stop()
  if (!ours || !without) throw new Error('a competitor is missing')
  const p50s = ours.turns.map((turn, at) => turn.p50_ms / (without.turns[at]?.p50_ms ?? Number.NaN))
  return standingsOf(
    `${clients} clients, 1.6 ms of work each`,
    [ours, without],
    [
      {
        says: 'p50 of dodeca / p50 without refusals',
        reached: median(p50s),
        target: 0.3,
        unit: '',
        wanted: 'at most',
      },
      ratioVerdict(ours, without, 1),
    ],
    [
      'A client sends its next request at once, also after a refusal: it does not wait as it should.',
    ],
  )
}
