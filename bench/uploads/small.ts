/** Whole small uploads: the platform, and Fastify with pg that runs the same statements and file steps. */
import { createHash, randomBytes } from 'node:crypto'
import type { Bed } from './bed.ts'
import { send } from './client.ts'
import { contest, timed } from './contest.ts'

const at_once = 100

export async function small(bed: Bed) {
  const body = randomBytes(64 * 1024)
  const checksum = createHash('sha256').update(body).digest('hex')
  const ours = await bed.platform({ part_bytes: 0, roles: 'api' })
  const base = await bed.rival('small')
  const json = { 'content-type': 'application/json' }
  const uploads = bed.size(8 * at_once)
  return await contest(
    'Whole uploads of 64 KiB: begin, one part, complete',
    [
      {
        name: 'dodeca',
        run: () =>
          timed(uploads, async () => {
            const { id, upload_url } = await ours.begin(body.length, checksum)
            const sent = await send('PUT', ours.here(upload_url), { body })
            return sent.status === 200 && (await ours.complete(id, 1)).file_id !== null
          }),
      },
      {
        name: 'Fastify + pg, same statements and file steps',
        run: () =>
          timed(uploads, async () => {
            const asked = JSON.stringify({ size: body.length, checksum })
            const made = await send('POST', `${base}/uploads`, { headers: json, body: asked })
            const { id } = JSON.parse(made.body) as { id: string }
            const sent = await send('PUT', `${base}/parts/${id}`, { body })
            const completed = await send('POST', `${base}/complete/${id}`)
            if (completed.status !== 200) throw new Error(completed.body)
            return sent.status === 200
          }),
      },
    ],
    bed.rounds,
    [0.8],
    [
      'What is scanned and derived afterwards is the work of workers, which do not run here; the rival has none.',
    ],
  )
}
