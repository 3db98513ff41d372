/** The generated files of a small checkout, whose generator joins a source with the name of the file. */
import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let root: string
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'dodeca-generated-')))
  for (const name of ['generated.mjs', 'cache.mjs', 'install.mjs', 'lock.mjs']) {
    fs.cpSync(new URL(`../${name}`, import.meta.url), join(root, 'scripts', name))
  }
  write('package.json', '{ "type": "module" }')
  write('package-lock.json', '{}')
  write('src/word.ts', `export const word = 'one'`)
  write('client/src/index.ts', '')
  write('client/node_modules/openapi-typescript/package.json', '{}')
  write(
    'scripts/generate.ts',
    `import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { word } from '../src/word.ts'
appendFileSync(join(import.meta.dirname, '../runs'), word)
for (const name of ['openapi.json', 'schema.d.ts', 'declarations.json', 'operations.ts', 'operations.md', 'tools.md'])
  writeFileSync(join(process.argv[2], name), word + ' ' + name)`,
  )
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true })
  fs.writeFileSync(join(root, path), text)
}

const read = (path: string) =>
  fs.existsSync(join(root, path)) ? fs.readFileSync(join(root, path), 'utf8') : null

const generate = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(root, 'scripts/generated.mjs'), ...args])

const paths = ['docs/openapi.json', 'client/src/schema.d.ts']
const tracked = ['client/src/operations.ts', 'api/operations.md', 'api/tools.md']

describe('the files that are not in git', () => {
  test('are made once, also for several that ask at once', async () => {
    await Promise.all([generate(), generate(), generate()])
    await generate()
    expect(paths.map(read)).toEqual(['one openapi.json', 'one schema.d.ts'])
    expect(tracked.map(read)).toEqual([null, null, null])
    expect(read('runs')).toBe('one')
  })

  test('are made again after a change of a source, and not after one of a test', async () => {
    await generate()
    write('src/test/word.test.ts', 'changed')
    await generate()
    expect(read('runs')).toBe('one')
    write('src/word.ts', `export const word = 'two'`)
    await generate()
    expect(paths.map(read)).toEqual(['two openapi.json', 'two schema.d.ts'])
  })

  test('are put back if one is edited or removed', async () => {
    await generate()
    write('docs/openapi.json', 'edited')
    fs.rmSync(join(root, 'client/src/schema.d.ts'))
    await generate()
    expect(paths.map(read)).toEqual(['one openapi.json', 'one schema.d.ts'])
    expect(read('runs')).toBe('one')
  })

  test('are kept if the next ones cannot be made, and the reason is printed', async () => {
    await generate()
    write('src/word.ts', `export const word = 'two'\nthrow new Error('on purpose')`)
    await expect(generate()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The generated files cannot be made\. [^]*on purpose/),
    })
    expect(paths.map(read)).toEqual(['one openapi.json', 'one schema.d.ts'])
  })
})

test('the files in git are written only by the command for it', async () => {
  await generate('--all')
  expect(tracked.map(read)).toEqual(['one operations.ts', 'one operations.md', 'one tools.md'])
})

describe('after npm has installed the packages', () => {
  test('they are made', async () => {
    await generate('--after-install')
    expect(paths.map(read)).toEqual(['one openapi.json', 'one schema.d.ts'])
  })

  test.each([
    [
      'where their tools were left out',
      () => fs.rmSync(join(root, 'client/node_modules'), { recursive: true }),
    ],
    ['by the installer of the platform', () => fs.mkdirSync(join(root, '.installing'))],
  ])('they are not made %s', async (_, change) => {
    change()
    await generate('--after-install')
    expect(read('runs')).toBeNull()
  })

  test('a failure does not undo the installation', async () => {
    write('src/word.ts', `export const word = 'two'\nthrow new Error('on purpose')`)
    const { stderr } = await generate('--after-install')
    expect(stderr).toContain('on purpose')
  })
})
