/**
 * Refuses an upload that is too large for the disk. Twice its size must be free, and 5 % of the
 * disk must stay free.
 */
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
