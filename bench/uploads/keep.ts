/** Keeps a body with the platform's guarantees: hash, sync, rename, sync of the folder. */
import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export async function keep(request: IncomingMessage, folder: string): Promise<string> {
  const draft = join(folder, randomUUID())
  const hash = createHash('sha256')
  const hashed = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  // `flush` synchronizes before it closes.
  await pipeline(request, hashed, createWriteStream(draft, { flush: true }))
  await rename(draft, `${draft}.part`)
  const parent = await open(folder, 'r')
  await parent.sync()
  await parent.close()
  return hash.digest('hex')
}
