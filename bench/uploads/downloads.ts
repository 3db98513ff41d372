/** A download: the platform, and a bare stream of a file. */
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MiB, type Bed } from './bed.ts'
import { drain, send } from './client.ts'
import { contest, timed } from './contest.ts'

export async function downloads(bed: Bed) {
  const body = randomBytes(bed.size(64 * MiB))
  const ours = await bed.platform({ part_bytes: body.length })
  const { id, upload_url } = await ours.begin(
    body.length,
    createHash('sha256').update(body).digest('hex'),
  )
  await send('PUT', ours.here(upload_url), { body })
  const { file_id } = await ours.complete(id, 1)
  const file = () => ours.api<{ state: string }>('GET', `/v1/files/${file_id}`)
  while ((await file()).state === 'uploaded') await new Promise(resolve => setTimeout(resolve, 100))
  const path = `/v1/files/${file_id}/download-url?expires_in=3600`
  const { url } = await ours.api<{ url: string }>('GET', path)
  const base = await bed.rival('download')
  await writeFile(join(bed.folderOf('download'), 'file'), body)
  const from = (address: string) => () =>
    timed(10, async () => (await drain(address)) === body.length)
  return await contest(
    `Downloads of ${body.length / MiB} MiB`,
    [
      { name: 'dodeca', run: from(ours.here(url)) },
      { name: 'node:http, a file stream', run: from(`${base}/file`) },
    ],
    bed.rounds,
    [0.85],
    ['Ours reads the state of the file and compares the stored object with the scanned one first.'],
  )
}
