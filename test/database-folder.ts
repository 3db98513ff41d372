/** Where tests keep databases. */
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/**
 * In memory, if TMPDIR names no other folder and there is room. A run creates and deletes 400,000
 * files of databases, and on ext4 each is created while it looks past those deleted just before.
 */
export async function databaseFolder(): Promise<string> {
  const memory = '/dev/shm'
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  const room = bavail * bsize >= 4 * 2 ** 30 && process.availableMemory() >= 12 * 2 ** 30
  return room && !process.env['TMPDIR'] ? memory : tmpdir()
}
