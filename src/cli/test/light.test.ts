/** A command that needs only identity loads no other surface, and knows all of them all the same. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { inherited } from '../../../test/process.ts'
import { composeIdentity } from '../../identity-alone.ts'
import { composition as whole } from '../../platform.ts'
import { gather } from '../../runtime/gather-declarations.ts'
import { migrationSources } from '../../runtime/start.ts'
import { newInstallation } from './installation.ts'

test('identity alone has the migrations and permissions of the whole platform', () => {
  const alone = composeIdentity({})
  expect(migrationSources(alone)).toEqual(migrationSources(whole))
  expect(gather(alone.surfaces).permissions).toEqual(gather(whole.surfaces).permissions)
})

test('`tenant list` loads no surface but identity', async () => {
  const installation = newInstallation()
  try {
    const data_dir = installation.data('light')
    const run = async (...words: string[]) => {
      const child = join(import.meta.dirname, 'light.child.ts')
      const { stdout } = await promisify(execFile)(process.execPath, [child, ...words], {
        env: { ...inherited, ...installation.environment(data_dir) },
        maxBuffer: 1e7,
      })
      const lines = stdout.trim().split('\n')
      const files = JSON.parse(lines.at(-1) ?? '') as string[]
      const named = (pattern: RegExp) => files.flatMap(file => pattern.exec(file)?.[1] ?? [])
      const opened = named(/surfaces\/([^/]+)\/surface\.ts$/).toSorted()
      return { said: lines[0], opened }
    }
    const migrated = await run('migrate', '--json')
    // At least one of each surface and of the kernel.
    const { applied } = JSON.parse(migrated.said ?? '') as { applied: readonly object[] }
    expect(applied.length).toBeGreaterThan(whole.surfaces.length)
    expect(migrated.opened).toEqual(['identity'])
    const listed = await run('tenant', 'list', '--json')
    expect(JSON.parse(listed.said ?? '').data).toMatchObject([{ slug: 'default' }])
    expect(listed.opened).toEqual(['identity'])
    const { opened } = await run('jobs', 'list', '--json')
    expect(opened).toEqual(whole.surfaces.map(({ name }) => name).toSorted())
  } finally {
    await installation.close()
  }
})
