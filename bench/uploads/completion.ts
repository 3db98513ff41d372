/** Completion of a large upload: the platform, and the shell that does the same to the same bytes. */
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MiB, type Bed } from './bed.ts'
import { send } from './client.ts'
import { contest, timed } from './contest.ts'

const part_bytes = 16 * MiB

export async function completion(bed: Bed) {
  const ours = await bed.platform({ part_bytes, roles: 'api' })
  const part = randomBytes(part_bytes)
  const total = bed.size(1024 * MiB)
  const count = total / part_bytes
  const hash = createHash('sha256')
  for (let n = 0; n < count; n++) hash.update(part)
  const checksum = hash.digest('hex')
  const folder = join(bed.folder, 'cat')
  await mkdir(folder, { recursive: true })
  for (let n = 0; n < count; n++) await writeFile(join(folder, `part-${1000 + n}`), part)
  return await contest(
    `Completion of ${total / MiB} MiB in parts of 16 MiB`,
    [
      {
        name: 'dodeca',
        run: async () => {
          const { id } = await ours.begin(total, checksum)
          for (let left = await ours.remaining(id); left.length > 0;) {
            for (const { url } of left) await send('PUT', ours.here(url), { body: part })
            left = await ours.remaining(id)
          }
          return await timed(1, async () => (await ours.complete(id, count)).file_id !== null)
        },
      },
      {
        name: 'cat parts | tee out | sha256sum; sync out',
        run: async () => {
          const measured = await timed(1, async () => {
            const script = 'cat part-* | tee out | sha256sum && sync out'
            const { stdout } = spawnSync('bash', ['-c', script], { cwd: folder })
            return await Promise.resolve(String(stdout).startsWith(checksum))
          })
          await rm(join(folder, 'out'))
          return measured
        },
      },
    ],
    bed.rounds,
    [0.8],
    ['Both have one processor; the parts are in the page cache.'],
  )
}
