/** Derivatives made in a child process, beside a loop over sharp with the same options. */
import { join } from 'node:path'
import sharp from 'sharp'
import { openInspectors } from '../../src/surfaces/uploads/processing/inspectors.ts'
import { settings as table, type Kernel } from '../../src/surfaces/uploads/settings.ts'
import type { Bed } from './bed.ts'
import { contest, timed } from './contest.ts'

export async function derivatives({ folder, rounds }: Bed) {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  const path = join(folder, 'photo.jpg')
  await sharp({ create: { width: 2000, height: 1500, channels: 3, background: '#888', noise } })
    .jpeg()
    .toFile(path)
  const values = Object.fromEntries(Object.entries(table).map(([name, one]) => [name, one.default]))
  const inspectors = openInspectors({ settings: values as unknown as Kernel['settings'] })
  const out = (kind: string) => join(folder, `${kind}.webp`)
  const outputs = (['thumbnail', 'preview'] as const).map(kind => ({ kind, path: out(kind) }))
  const options = { failOn: 'truncated', sequentialRead: true } as const
  const fitted = (side: number, quality: number, to: string) =>
    sharp(path, options)
      .autoOrient()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .webp({ quality })
      .toFile(to)
  sharp.concurrency(1)
  sharp.cache(false)
  const by = { tenant_id: 'one', signal: new AbortController().signal }
  await inspectors.derive({ path, outputs }, by)
  // Child processes of the pool do not keep an otherwise idle process alive.
  const awake = setInterval(() => {}, 1000)
  try {
    return await contest(
      'Thumbnail and preview of a photo of 2000 × 1500',
      [
        {
          name: 'dodeca, in a child process',
          run: () =>
            timed(10, async () => (await inspectors.derive({ path, outputs }, by)).length === 2),
        },
        {
          name: 'sharp, in a loop',
          run: () =>
            timed(10, async () => {
              await fitted(256, 75, out('a'))
              await fitted(1280, 80, out('b'))
              return true
            }),
        },
      ],
      rounds,
      [0.85],
      [],
    )
  } finally {
    await inspectors.close()
    clearInterval(awake)
  }
}
