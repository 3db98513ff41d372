/** How much the platform's process grows while many parts arrive at once. */
import { createHash, randomBytes } from 'node:crypto'
import { residentMegabytes } from '../ground/machine.ts'
import type { Section } from '../ground/report.ts'
import { MiB, type Bed } from './bed.ts'
import { send } from './client.ts'

const at_once = 8
const part_bytes = 64 * MiB

export async function memory(bed: Bed): Promise<Section> {
  const ours = await bed.platform({ part_bytes })
  const { pid } = ours.program
  const total = bed.size(2048 * MiB)
  const body = randomBytes(part_bytes)
  const unknown = createHash('sha256').digest('hex')
  const { id, part_urls } = await ours.begin(total, unknown)
  const warm = await ours.begin(part_bytes, unknown)
  await send('PUT', ours.here(warm.upload_url), { body })
  const before = (await residentMegabytes(pid)) ?? 0
  let most = before
  const looking = setInterval(() => {
    void residentMegabytes(pid).then(now => (most = Math.max(most, now ?? 0)))
  }, 20)
  const waiting = [...part_urls]
  let refused = 0
  await Promise.all(
    Array.from({ length: at_once }, async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        const { status } = await send('PUT', ours.here(one.url), { body })
        if (status !== 200) refused++
      }
    }),
  )
  clearInterval(looking)
  await ours.abort(id)
  return {
    title: `Memory while ${total / MiB} MiB arrive, eight parts at once`,
    columns: ['', 'MiB resident'],
    rows: [
      ['before', before.toFixed(0)],
      ['most', most.toFixed(0)],
    ],
    verdicts: [
      { says: 'growth', reached: most - before, target: 64, unit: 'MiB', wanted: 'at most' },
    ],
    notes: refused > 0 ? [`${refused} parts were refused.`] : [],
  }
}
