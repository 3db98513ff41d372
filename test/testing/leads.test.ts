/** An application is tested with the kit alone: here, and under the test runner of Node. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { killed, openApp } from '../../src/testing/entry.ts'
import { endsWithFile } from '../children.ts'
import leads from './dodeca.config.ts'
import { testLeads } from './leads.ts'

process.env['TEST_DATABASE_URL'] = inject('admin_url')

/** The assertions are the kit's and the application's. */
function expectPassed(run: () => Promise<void>): Promise<void> {
  return run()
}

describe('under vitest', async () => {
  await testLeads({
    test: (name, run) => test(`with the kit: ${name}`, () => expectPassed(run)),
    after: afterAll,
  })
})

test('a point that is never passed is named', async () => {
  const world = await openApp(leads, { KERNEL_SANDBOX: 'false' }, import.meta.dirname)
  await expect(killed(world, 'kernel.nowhere', () => Promise.resolve())).rejects.toThrow(
    /no fault point kernel.nowhere/,
  )
})

test('another application than that of the folder is not killed', async () => {
  const world = await openApp({ surfaces: ['links'] }, { KERNEL_SANDBOX: 'false' })
  await expect(killed(world, 'kernel.before_commit', () => Promise.resolve())).rejects.toThrow(
    /starts the application of .*dodeca.config.ts/,
  )
  await world.close()
})

test('under node --test, with the PostgreSQL of the project', async () => {
  const project = await mkdtemp(join(tmpdir(), 'dodeca-project-'))
  const config = new URL('dodeca.config.ts', import.meta.url).href
  await writeFile(join(project, 'dodeca.config.ts'), `export { default } from '${config}'\n`)
  const program = fileURLToPath(new URL('./guide.child.ts', import.meta.url))
  const child = endsWithFile(
    spawn(process.execPath, ['--test', '--test-reporter=tap', program], {
      cwd: project,
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  expect(
    [code, /^# pass [1-9]\d+$/m.test(output), /^# fail 0$/m.test(output)],
    output + errors,
  ).toEqual([0, true, true])
  await rm(project, { recursive: true, force: true, maxRetries: 5 })
})
