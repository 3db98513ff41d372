/**
 * The table of large packages in docs/getting-started.md has each package above 8 MB that `npm start`
 * installs, and no other, with its size.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readLock } from '../scripts/packages.ts'

const root = resolve(import.meta.dirname, '..')
const large_bytes = 8_000_000

/** Names of packages with binaries end with the machine, such as `-linux-x64-gnu`. */
const withoutMachine = (name: string) => name.replace(/\b(linux|darwin)-(x64|arm64)(-\w+)?$/, '*')

test('the documentation names every large package with its size', async () => {
  const { packages } = await readLock()
  const shipped = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link,
  )
  const sizes = new Map<string, number>()
  for (const [path, { name = path.slice(path.lastIndexOf('node_modules/') + 13) }] of shipped) {
    const bytes = await bytesIn(resolve(root, path), path === 'node_modules/node')
    if (bytes > large_bytes) sizes.set(withoutMachine(name), bytes / 1e6)
  }
  const page = await readFile(resolve(root, 'docs/getting-started.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)` +\| +(\d+) \|/gm)]
  const documented = new Map(rows.map(([, name = '', size]) => [name, Number(size)]))
  expect([...documented.keys()].toSorted()).toEqual([...sizes.keys()].toSorted())
  // The table is about Linux on x64. Binaries for other machines have other sizes.
  if (process.platform !== 'linux' || process.arch !== 'x64') return
  for (const [name, megabytes] of sizes) {
    const written = documented.get(name) ?? 0
    expect(Math.abs(written - megabytes) / megabytes, `${name}: ${megabytes}`).toBeLessThan(0.2)
  }
})

/** What npm leaves out on this machine has no files. A file with two names is counted once. */
async function bytesIn(folder: string, nested: boolean): Promise<number> {
  const files = new Map<number, number>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = resolve(entry.parentPath, entry.name)
    const is_nested = path.slice(folder.length).includes('/node_modules/')
    if (!entry.isFile() || (is_nested && !nested)) continue
    const { ino, size } = await stat(path)
    files.set(ino, size)
  }
  return [...files.values()].reduce((sum, size) => sum + size, 0)
}
