/** Tokens a second through one process, with the output scanner of ours. */
import type { Bench } from '../ground/comparison.ts'
import { ratioVerdict, standingsOf, type Section } from '../ground/report.ts'
import { compete } from '../ground/rounds.ts'
import type { Ground } from './ground.ts'
import { measureCalls } from './measure-calls.ts'

const tokens = 10_000
const streams = 4
const prompt = `Go on. [[sandbox tokens=${2 * tokens} chunk=4]]`

export async function relay({ options }: Bench, ground: Ground): Promise<Section> {
  const { passing, ours, portkey } = ground
  const gateways = [passing, ours, ...(portkey ? [portkey] : [])]
  const contenders = gateways.map(gateway => ({
    name: gateway.name,
    run: async () => {
      const what = { prompt, tokens, stream: true, at_once: streams }
      const { per_second, cpu_us, ...measure } = await measureCalls(gateway, what, options)
      return {
        ...measure,
        per_second: per_second * tokens,
        cpu_us: cpu_us === null ? null : cpu_us / tokens,
      }
    },
  }))
  const standings = await compete(contenders, options.rounds)
  const [bare, own] = standings
  return standingsOf(
    `Tokens of ${streams} streams at a time, ${tokens.toLocaleString('en')} tokens each`,
    standings,
    bare && own ? [ratioVerdict(own, bare, 0.5)] : [],
    [
      'p50 and p99 are of whole streams, the processor time of one token. The provider sends 4 tokens an event.',
      'Ours reads every event, scans the text before it is sent, and writes events of its own; the others copy bytes or lines.',
    ],
  )
}
