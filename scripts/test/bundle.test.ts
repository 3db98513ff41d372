/**
 * The bundle of a small checkout with the real esbuild: whatever changes, a bundle of other sources
 * never runs. At the end the platform itself starts from one.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { commandLine } from '../../src/runtime/data-dir.ts'
import { startProcess } from '../../test/process.ts'
import { call, cloneDatabase } from '../../test/world.ts'
import { bundled, ensureBundle } from '../bundle.mjs'

const scripts = fileURLToPath(new URL('..', import.meta.url))
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

const cli = `import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { place, word } from './parts/word.ts'

const child = fileURLToPath(new URL('./parts/say.child.ts', import.meta.url))
const [asked] = process.argv.slice(2)
if (asked === 'fail') throw new Error('on purpose')
if (asked === 'later') await new Promise(resolve => process.stdin.once('data', resolve))
const { late } = await import('./parts/late.ts')
const { stdout } = spawnSync(process.execPath, [child], { encoding: 'utf8' })
console.log([word, late, stdout.trim(), place, fileURLToPath(import.meta.url)].join(' '))
process.exit()
`

function newCheckout(): string {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'dodeca-bundle-')))
  folders.push(root, `${root}-moved`)
  const files = {
    'package.json': '{ "type": "module" }',
    'package-lock.json': '{}',
    'src/cli.ts': cli,
    'src/cli/main.ts': `export const started: boolean = true`,
    'src/parts/word.ts': `export const word: string = 'one'\nexport const place = import.meta.url`,
    'src/parts/late.ts': `export const late: string = 'late'`,
    'src/parts/say.child.ts': `import { word } from './word.ts'\nconsole.log('child:' + word)`,
    'src/parts/test/word.test.ts': `throw new Error('tests are in no bundle')`,
  }
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true })
    fs.writeFileSync(join(root, path), text)
  }
  for (const folder of ['scripts', 'node_modules']) fs.mkdirSync(join(root, folder))
  for (const name of ['bundle.mjs', 'source-lines.mjs']) {
    fs.copyFileSync(join(scripts, name), join(root, 'scripts', name))
  }
  fs.symlinkSync(join(scripts, '../node_modules/esbuild'), join(root, 'node_modules/esbuild'))
  return root
}

async function made(root: string, more: object = {}): Promise<string> {
  const said: string[] = []
  await ensureBundle({ root, version: 'v24.1.0', say: line => said.push(line), ...more })
  expect(said).toEqual([])
  const file = fresh(root, more)
  if (!file) throw new Error('no bundle was made')
  return file
}

function fresh(root: string, more: object = {}): string | undefined {
  return bundled('src/cli.ts', { root, version: 'v24.1.0', ...more })
}

function begin(file: string, ...args: string[]) {
  const child = spawn(process.execPath, [file, ...args], { stdio: 'pipe' })
  let said = ''
  child.stderr.on('data', part => (said += String(part)))
  const line = createInterface(child.stdout)[Symbol.asyncIterator]().next()
  return { child, line: line.then(({ value }) => value), said: () => said }
}

const run = async (file: string) => await begin(file).line

describe('a bundle', () => {
  test('runs like its sources: programs, later parts and places of sources', async () => {
    const root = newCheckout()
    const file = await made(root)
    expect(file).toContain(join(root, 'node_modules/.cache/'))
    const place = pathToFileURL(join(root, 'src/parts/word.ts')).href
    const said = await run(file)
    expect(said).toBe(`one late child:one ${place} ${join(root, 'src/cli.ts')}`)
    expect(await run(join(root, 'src/cli.ts'))).toBe(said)
    expect(await made(root)).toBe(file)
  })

  const word = (root: string) => join(root, 'src/parts/word.ts')
  const edit = (root: string, to = 'two') =>
    fs.writeFileSync(word(root), fs.readFileSync(word(root), 'utf8').replace("'one'", `'${to}'`))
  test.each<[string, (root: string) => void, string]>([
    ['an edited source', root => edit(root, 'three'), 'three'],
    [
      'a source of the same size with its time set back',
      root => {
        const { atime, mtime } = fs.statSync(word(root))
        edit(root)
        fs.utimesSync(word(root), atime, mtime)
      },
      'two',
    ],
    [
      'another file moved to its place',
      root => {
        fs.copyFileSync(word(root), join(root, 'other.ts'))
        edit(root)
        fs.renameSync(join(root, 'other.ts'), word(root))
      },
      'one',
    ],
    ['an added file', root => fs.writeFileSync(join(root, 'src/parts/new.ts'), ''), 'one'],
    [
      'a removed file',
      root => {
        edit(root, 'two')
        fs.writeFileSync(join(root, 'src/cli/main.ts'), '')
        fs.rmSync(join(root, 'src/parts/unused.ts'))
      },
      'two',
    ],
    ['another lock file', root => fs.appendFileSync(join(root, 'package-lock.json'), ' '), 'one'],
    [
      'another installation',
      root => fs.writeFileSync(join(root, 'node_modules/.package-lock.json'), '{}'),
      'one',
    ],
  ])('%s: it is stale, and made again', async (_, change, said) => {
    const root = newCheckout()
    fs.writeFileSync(join(root, 'src/parts/unused.ts'), '')
    await made(root)
    change(root)
    expect(fresh(root)).toBeUndefined()
    expect(await run(await made(root))).toMatch(new RegExp(`^${said} late child:${said} `))
  })

  test('a file that is only removed makes it stale; a test beside the sources does not', async () => {
    const root = newCheckout()
    fs.writeFileSync(join(root, 'src/parts/unused.ts'), '')
    await made(root)
    fs.appendFileSync(join(root, 'src/parts/test/word.test.ts'), '\n')
    expect(fresh(root)).toBeDefined()
    fs.rmSync(join(root, 'src/parts/unused.ts'))
    expect(fresh(root)).toBeUndefined()
  })

  test('a moved checkout has none', async () => {
    const root = newCheckout()
    await made(root)
    fs.renameSync(root, `${root}-moved`)
    expect(fresh(`${root}-moved`)).toBeUndefined()
    const said = await run(await made(`${root}-moved`))
    expect(said).toContain(`${root}-moved/src/parts/word.ts`)
  })

  test('another Node has none', async () => {
    const root = newCheckout()
    await made(root)
    expect(fresh(root, { version: 'v24.2.0' })).toBeUndefined()
  })

  test('one that lost a part of a file is not used, and made again', async () => {
    const root = newCheckout()
    const folder = dirname(await made(root))
    for (const name of fs.readdirSync(folder).filter(one => /\.(mjs|json)$/.test(one))) {
      fs.truncateSync(join(folder, name), fs.statSync(join(folder, name)).size - 1)
      expect(fresh(root)).toBeUndefined()
      await made(root)
    }
  })

  test('killed while it is made, or made by many at once: it is whole or not there', async () => {
    const root = newCheckout()
    const code = `import { ensureBundle } from ${JSON.stringify(pathToFileURL(join(scripts, 'bundle.mjs')))}
      await ensureBundle({ root: ${JSON.stringify(root)}, version: 'v24.1.0' })`
    const make = () =>
      spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' })
    const first = make()
    const cache = join(root, 'node_modules/.cache/dodeca/product')
    await expect
      .poll(() => (fs.existsSync(cache) ? fs.readdirSync(cache).length : 0), {
        interval: 1,
        timeout: 60_000,
      })
      .toBe(1)
    first.kill('SIGKILL')
    await Promise.all([make(), make(), make()].map(one => once(one, 'exit')))
    expect(fs.readdirSync(cache)).toHaveLength(1)
    expect(fs.existsSync(join(root, '.installing'))).toBe(false)
    expect(await run(fresh(root) ?? '')).toMatch(/^one late child:one /)
  })

  test('an older one stays while a process runs from it, which loads its parts later', async () => {
    const root = newCheckout()
    const file = await made(root)
    const { child, line } = begin(file, 'later')
    const users = join(dirname(file), 'users')
    // As bin does: the process that looked for the file is the one that uses it.
    const [mine = ''] = fs.readdirSync(users)
    edit(root)
    const next = await made(root)
    child.stdin.write('\n')
    expect(await line).toMatch(/^one late /)
    fs.renameSync(join(users, mine), join(users, '1.0'))
    edit(root)
    fs.appendFileSync(word(root), '\n')
    await made(root)
    expect([fs.existsSync(file), fs.existsSync(next)]).toEqual([false, true])
  })

  test('sources that cannot be joined are one sentence', async () => {
    const root = newCheckout()
    fs.appendFileSync(word(root), '\nexport {')
    const said: string[] = []
    await ensureBundle({ root, version: 'v24.1.0', say: line => said.push(line) })
    expect(said).toHaveLength(1)
    expect(said[0]).toMatch(/^The sources cannot be joined, .* \(src\/parts\/word\.ts:3.*\)\.\n$/)
    expect(fresh(root)).toBeUndefined()
  })

  test('an error names the file and the line of its source', async () => {
    const root = newCheckout()
    const { child, said } = begin(await made(root), 'fail')
    await once(child, 'close')
    const line = cli.split('\n').findIndex(one => one.includes('on purpose')) + 1
    expect(said()).toContain(`Error: on purpose\n    at file://${root}/src/cli.ts:${line}:`)
  })
})

test('the platform starts from its bundle', async () => {
  await ensureBundle({ kind: 'test' })
  const database = await cloneDatabase('product_template')
  const folder = fs.mkdtempSync(join(tmpdir(), 'dodeca-bundle-'))
  folders.push(folder)
  const platform = await startProcess(
    { DATABASE_URL: database.url, DATA_DIR: folder, PORT: '0', KERNEL_SANDBOX: 'false' },
    'product',
  )
  expect(commandLine(platform.child.pid ?? 0)).toContain('/.cache/dodeca/test/')
  expect((await call(platform.url, 'GET', '/healthz')).status).toBe(200)
  await platform.kill('SIGTERM')
  await database.drop()
})
