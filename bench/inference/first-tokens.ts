/** How much later the first token of a stream arrives. */
import type { Bench } from '../ground/comparison.ts'
import { standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'
import type { Ground } from './ground.ts'
import { measureCalls } from './measure-calls.ts'

const what = { prompt: 'Say something. [[sandbox tokens=100]]', tokens: 20, stream: true } as const

export async function firstTokens({ options }: Bench, ground: Ground): Promise<Section> {
  const { passing, ours, undurable, portkey } = ground
  const gateways = [passing, ours, undurable, ...(portkey ? [portkey] : [])]
  const contenders = gateways.map(gateway => ({
    name: gateway.name,
    run: () => measureCalls(gateway, { ...what, at_once: 1, first_token: true }, options),
  }))
  const standings = await compete(contenders, options.rounds)
  const [bare, own] = standings
  const added = (own?.p50_ms ?? 0) - (bare?.p50_ms ?? 0)
  return standingsOf(
    'The first token of a stream, one stream after another',
    standings,
    [{ says: 'added p50', reached: added, target: 2.5, unit: 'ms', wanted: 'at most' }],
    ['Before it, ours reserves the quota and records the attempt in one commit.'],
  )
}
