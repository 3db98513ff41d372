/** Runs test files of the agency under the test runner of Node, as `npm test` in its folder does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'
import { endsWithFile } from './children.ts'

const folder = resolve(import.meta.dirname, '../examples/agency')

export async function runTests(file: string, option: string, env: NodeJS.ProcessEnv = {}) {
  const words = ['--test', '--test-reporter=tap', option, `test/${file}`]
  const child = endsWithFile(
    spawn(process.execPath, words, {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', TEST_DATABASE_URL: inject('admin_url'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  const many = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1])
  return { code, passed: many('pass'), failed: many('fail'), output: output + errors }
}
