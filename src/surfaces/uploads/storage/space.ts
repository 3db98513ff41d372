/** Refuses an upload that the disk could not take: twice its size must be free, and 5 % stay free. */
import { statfs } from 'node:fs/promises'
import { problem } from '../errors.ts'
import type { Kernel } from '../settings.ts'

const share_kept = 0.05

export async function requireSpace(
  { objects, data_dir }: Pick<Kernel, 'objects' | 'data_dir'>,
  expected_size: number,
): Promise<void> {
  if (objects.engine !== 'local') return
  const { bavail, blocks, bsize } = await statfs(data_dir)
  const needed = Math.max(blocks * bsize * share_kept, expected_size * 2)
  if (bavail * bsize < needed) throw problem('storage_full')
}
