/**
 * Replaces a file in one step. A reader sees the old text or the new one, never a part. Only the
 * owner may read the file, because addresses contain credentials.
 */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'

export function writeWhole(file: string, text: string): void {
  const next = `${file}.${process.pid}.next`
  const fd = openSync(next, 'w', 0o600)
  try {
    writeFileSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(next, file)
}
