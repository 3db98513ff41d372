/** A provider that thinks for 20 ms, and 16 callers: what is left of asking it directly. */
import type { Bench } from '../ground/comparison.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'
import type { Ground } from './ground.ts'
import { measureCalls } from './measure-calls.ts'

const prompt = 'Think first. [[sandbox tokens=100]]'
const what = { prompt, tokens: 20, stream: false, at_once: 16 } as const

export async function upstream({ options }: Bench, ground: Ground): Promise<Section> {
  const { direct, passing, ours, portkey } = ground
  const match = { prompt_contains: 'Think first.' }
  const slow = { action: 'slow', ttft_ms: 20, delta_ms: 0, match, times: 1_000_000 }
  await ground.control('faults', slow)
  const gateways = [direct, passing, ours, ...(portkey ? [portkey] : [])]
  const standings = await compete(
    gateways.map(gateway => ({
      name: gateway.name,
      run: () => measureCalls(gateway, what, options),
    })),
    options.rounds,
  )
  await ground.control('faults', {}, 'DELETE')
  const [asked, , own] = standings
  return standingsOf(
    `A provider that answers after 20 ms, ${what.at_once} callers`,
    standings,
    asked && own ? [ratioVerdict(own, asked, 0.9)] : [],
    ['Real models take longer still: this is an upper bound of what a caller notices.'],
  )
}
