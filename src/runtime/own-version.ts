/** The version of the platform. */
import { readFile } from 'node:fs/promises'

export async function ownVersion(): Promise<string> {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version
}
