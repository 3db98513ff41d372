/** What lies in the spool of a world, seen from outside its processes. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { framesIn } from '../clicks/frames.ts'

type Spooled = { readonly name: string; readonly bytes: Buffer }

/** Files with something in them. */
export async function spooled({ data_dir }: { readonly data_dir: string }): Promise<Spooled[]> {
  const folder = join(data_dir, 'spool')
  const names = (await readdir(folder)).filter(name => name.endsWith('.log'))
  const files = await Promise.all(
    names.map(async name => {
      // Its process may remove it meanwhile.
      const bytes = await readFile(join(folder, name)).catch(() => Buffer.alloc(0))
      return { name, bytes }
    }),
  )
  return files.filter(({ bytes }) => bytes.length > 0)
}

/** Clicks of a code that are in it; some of them may be stored already. */
export async function spooledClicks(
  world: { readonly data_dir: string },
  code: string,
): Promise<number> {
  let clicks = 0
  for (const { bytes } of await spooled(world)) {
    for (const batch of framesIn(bytes)) {
      const { links, link } = batch ?? { links: [], link: [] }
      clicks += link.filter(at => links[at]?.[1] === code).length
    }
  }
  return clicks
}
