/** One part after another: the platform, bare node:http with and without its guarantees, @tus/server. */
import { createHash, randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contender } from '../ground/rounds.ts'
import { MiB, type Bed } from './bed.ts'
import { send } from './client.ts'
import { contest, timed } from './contest.ts'
import type { Given } from './rival-process.ts'

const count = 6
const unknown = createHash('sha256').digest('hex')

export async function parts(bed: Bed) {
  const body = randomBytes(bed.size(64 * MiB))
  const ours = await bed.platform({ part_bytes: body.length, roles: 'api' })
  const [kept, tus, plain] = [
    await bed.rival('kept'),
    await bed.rival('tus'),
    await bed.rival('plain'),
  ]
  const part_bytes = Math.max(5 * MiB, body.length)
  const bare = (name: string, kind: Given['kind'], base: string): Contender => ({
    name,
    run: async () => {
      const measured = await timed(
        count,
        async () => (await send('PUT', `${base}/`, { body })).status === 200,
      )
      await empty(bed.folderOf(kind))
      return measured
    },
  })
  return await contest(
    `Parts of ${body.length / MiB} MiB, one after another`,
    [
      {
        name: 'dodeca',
        run: async () => {
          // The last part may be smaller than the others; it is not sent.
          const { id, part_urls } = await ours.begin(part_bytes * count + 1, unknown)
          const whole = body.length === part_bytes ? body : randomBytes(part_bytes)
          const measured = await timed(count, async n => {
            const { status } = await send('PUT', ours.here(part_urls[n]?.url ?? ''), {
              body: whole,
            })
            return status === 200
          })
          await ours.abort(id)
          return measured
        },
      },
      bare('node:http, hash + sync + rename', 'kept', kept),
      {
        name: '@tus/server (no hash, no sync)',
        run: async () => {
          const measured = await timed(count, () => sendByTus(tus, body))
          await empty(bed.folderOf('tus'))
          return measured
        },
      },
      bare('node:http, no hash, no sync', 'plain', plain),
    ],
    bed.rounds,
    [0.9, 1, 0.6],
    ['Each part is hashed, synchronized and renamed, and its row is committed, before the answer.'],
  )
}

async function sendByTus(base: string, body: Buffer): Promise<boolean> {
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': body.length }
  const made = await send('POST', `${base}/files`, { headers })
  const to = new URL(String(made.headers['location']), base)
  const patched = await send('PATCH', `${base}${to.pathname}`, {
    headers: {
      'tus-resumable': '1.0.0',
      'upload-offset': 0,
      'content-type': 'application/offset+octet-stream',
    },
    body,
  })
  return patched.status === 204
}

/** Files of a round that has been measured: the disk is not part of the comparison. */
async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
}
