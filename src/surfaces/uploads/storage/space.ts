/**
 * Refuses bytes that are too many for the disk: an upload when it begins, and each of its parts,
 * because other uploads fill the disk meanwhile. Twice the size must be free, and 5 % of the disk
 * must stay free.
 */
import { statfs } from 'node:fs/promises'
import { codeOf } from '#dodeca/kernel'
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

const full_codes = new Set(['ENOSPC', 'EDQUOT'])

/** Whether the disk, or its quota, is full. */
export function isFull(error: unknown): boolean {
  return full_codes.has(codeOf(error))
}

/** More than what one file needs in the spool. */
const spool_bytes = 256 * 1024 * 1024

/** Whether nothing can be written to the spool, also by a child process that does not say why. */
export async function isDiskFull({ data_dir }: Pick<Kernel, 'data_dir'>): Promise<boolean> {
  const { bavail, bsize } = await statfs(data_dir)
  return bavail * bsize < spool_bytes
}
