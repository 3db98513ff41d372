/** A surface with one read that only costs processor time, as a large list or a long template does. */
import { hash } from 'node:crypto'
import { Type } from 'typebox'
import { reply, route, type Surface } from '#dodeca/kernel'

const work_ms = 1.6
const bytes = Buffer.alloc(16 * 1024)

export const work: Surface<null, Record<never, never>> = {
  name: 'work',
  settings: {},
  migrations: new URL('./migrations/', import.meta.url),
  permissions: {},
  errors: {},
  events: {},
  open: () => {
    const rounds = roundsOf(work_ms)
    return {
      face: null,
      routes: [
        route({
          method: 'GET',
          path: '/v1/work',
          name: 'getWork',
          summary: 'Use the processor',
          permission: 'authenticated',
          replies: { 200: Type.Object({ rounds: Type.Integer() }) },
          handle: () => {
            workFor(rounds)
            return reply(200, { rounds })
          },
        }),
      ],
    }
  },
}

function workFor(rounds: number): void {
  for (let round = 0; round < rounds; round++) hash('sha256', bytes)
}

/** As many rounds as take so long, by processor time: other work on the machine does not count. */
function roundsOf(ms: number): number {
  const trial = 20_000
  workFor(trial / 10)
  const before = process.threadCpuUsage()
  workFor(trial)
  const { user, system } = process.threadCpuUsage(before)
  return Math.ceil((trial * ms * 1000) / (user + system))
}
