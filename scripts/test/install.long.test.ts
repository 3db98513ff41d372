/**
 * The installer with the real npm on a small project: one dependency, called `node`, that stands for
 * the runtime. Its install script can be made to wait, so that an installation can be caught half-way.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { commandLine } from '../../src/runtime/data-dir.ts'

const folders: string[] = []
const running: ChildProcess[] = []

afterEach(async () => {
  for (const folder of folders) fs.writeFileSync(join(folder, 'go'), '')
  await Promise.all(
    running
      .splice(0)
      .filter(each => each.exitCode === null && each.signalCode === null)
      .map(each => once(each, 'exit')),
  )
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

/** Each installation adds a line to `installs`; with `wait` in the folder it waits there for `go`. */
const install_script = `cd ..; echo $$ >> installs
while [ -e wait ] && ! [ -e go ]; do sleep 0.05; done`

function newProject(more: object = {}, runtime_version = process.version): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'dodeca-install-'))
  folders.push(folder)
  const write = (file: string, text: string) => {
    fs.writeFileSync(join(folder, file), text, { mode: 0o755 })
  }
  for (const name of ['scripts', 'bin', 'src', 'runtime', 'tool']) fs.mkdirSync(join(folder, name))
  for (const name of ['install', 'lock', 'cache', 'bundle', 'unused-files']) {
    const file = `${name}.mjs`
    fs.cpSync(new URL(`../${file}`, import.meta.url), join(folder, 'scripts', file))
  }
  fs.cpSync(new URL('../../bin/dodeca.mjs', import.meta.url), join(folder, 'bin/dodeca.mjs'))
  const scripts = { postinstall: install_script }
  const runtime = { name: 'node', version: '1.0.0', bin: { node: 'node' }, scripts }
  write('runtime/package.json', JSON.stringify(runtime))
  write(
    'runtime/node',
    `#!/bin/sh\n[ "$1" = --version ] && echo ${runtime_version} || exec "${process.execPath}" "$@"\n`,
  )
  write('tool/package.json', JSON.stringify({ name: 'test-tool', version: '1.0.0' }))
  describeProject(folder, more)
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--offline'], {
    cwd: folder,
    stdio: 'pipe',
  })
  return folder
}

function describeProject(folder: string, more: object): void {
  const described = {
    name: 'small',
    version: '1.0.0',
    dependencies: { node: 'file:runtime' },
    devDependencies: { 'test-tool': 'file:tool' },
    allowScripts: { 'file:runtime': true, node: true },
    ...more,
  }
  fs.writeFileSync(join(folder, 'package.json'), JSON.stringify(described))
}

type Outcome = { code: number | null; said: string; printed: string }

function start(folder: string, file: string, args: string[] = [], env: object = {}) {
  const child = spawn(process.execPath, [join(folder, file), ...args], {
    env: { ...process.env, npm_execpath: '', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.push(child)
  const outcome: Outcome = { code: null, said: '', printed: '' }
  child.stderr.on('data', chunk => (outcome.said += String(chunk)))
  child.stdout.on('data', chunk => (outcome.printed += String(chunk)))
  const done = once(child, 'close').then(([code]) => ({ ...outcome, code: code as number | null }))
  return { child, done, outcome }
}

const install = (folder: string, env?: object) => start(folder, 'scripts/install.mjs', [], env)
const installAll = (folder: string) => start(folder, 'scripts/install.mjs', ['--all'])

function installs(folder: string): number {
  const file = join(folder, 'installs')
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').length : 0
}

function waitsInside(folder: string, number = 1) {
  return expect.poll(() => installs(folder), { timeout: 150_000 }).toBe(number)
}

const npmPid = (folder: string) =>
  Number.parseInt(fs.readlinkSync(join(folder, '.installing/npm')), 10)
const stamp = (folder: string) => join(folder, 'node_modules/.dodeca-installed')

describe('the installer', () => {
  test('installs once, says so, and is silent ever after', async () => {
    const folder = newProject()
    const first = await install(folder).done
    expect(first.code).toBe(0)
    expect(first.said).toMatch(/^Installing the packages .*only this once/)
    expect(first.printed).toBe('')
    expect(fs.existsSync(stamp(folder))).toBe(true)
    expect(await install(folder).done).toEqual({ code: 0, said: '', printed: '' })
    expect(installs(folder)).toBe(1)
    expect(fs.existsSync(join(folder, '.installing'))).toBe(false)
  })

  test('removes what an install script brought beside the lock file', async () => {
    const folder = newProject()
    // As the install script of Node does it: Node itself is a second name of the same file.
    const script = `${install_script}; mkdir -p runtime/node_modules/headers; cd runtime
echo '{"name":"headers","version":"1.0.0"}' > node_modules/headers/package.json`
    const file = join(folder, 'runtime/package.json')
    const runtime = JSON.parse(fs.readFileSync(file, 'utf8')) as object
    fs.writeFileSync(file, JSON.stringify({ ...runtime, scripts: { postinstall: script } }))
    expect((await install(folder).done).code).toBe(0)
    expect(fs.existsSync(join(folder, 'runtime/node_modules/headers'))).toBe(false)
    expect(fs.existsSync(join(folder, 'node_modules/.bin/node'))).toBe(true)
    expect(installs(folder)).toBe(1)
  })

  test('leaves the packages of the tests to the tests, which add them', async () => {
    const folder = newProject()
    await install(folder).done
    const tool = join(folder, 'node_modules/test-tool')
    expect(fs.existsSync(tool)).toBe(false)
    const kept = fs.lstatSync(join(folder, 'node_modules/node'), { bigint: true }).ino
    expect((await installAll(folder).done).said).toMatch(/^Installing all packages/)
    expect(fs.existsSync(tool)).toBe(true)
    expect(fs.lstatSync(join(folder, 'node_modules/node'), { bigint: true }).ino).toBe(kept)
    expect((await install(folder).done).said).toBe('')
    expect((await installAll(folder).done).said).toBe('')
  })

  test("leaves its Node out where the person's own will do, but not for the tests", async () => {
    const folder = newProject({ dependencies: {}, peerDependencies: { node: 'file:runtime' } })
    const npms = join(folder, 'node_modules/.bin/node')
    await install(folder).done
    expect([fs.existsSync(npms), installs(folder)]).toEqual([false, 0])
    fs.writeFileSync(join(folder, 'src/cli.ts'), 'console.log(process.execPath)\n')
    const ran = await start(folder, 'bin/dodeca.mjs').done
    expect(ran).toEqual({ code: 0, said: '', printed: `${process.execPath}\n` })
    await installAll(folder).done
    expect([fs.existsSync(npms), installs(folder)]).toEqual([true, 1])
    expect((await install(folder).done).said).toBe('')
  })

  test('a start that installs again keeps the packages of the tests', async () => {
    const folder = newProject()
    await installAll(folder).done
    fs.appendFileSync(join(folder, 'package-lock.json'), '\n')
    fs.rmSync(join(folder, 'node_modules/.package-lock.json'))
    expect((await install(folder).done).said).toMatch(/^Installing all packages/)
    expect(fs.existsSync(join(folder, 'node_modules/test-tool'))).toBe(true)
  })

  test('installs again when the lock file or a dependency changes, not when a script does', async () => {
    const folder = newProject()
    await install(folder).done
    describeProject(folder, { scripts: { start: 'node x.js' } })
    expect((await install(folder).done).said).toBe('')
    const lock_file = join(folder, 'package-lock.json')
    fs.writeFileSync(lock_file, `${fs.readFileSync(lock_file, 'utf8')}\n`)
    fs.rmSync(join(folder, 'node_modules/.package-lock.json'))
    expect((await install(folder).done).said).toContain('Installing')
    expect(installs(folder)).toBe(2)
    fs.rmSync(join(folder, 'node_modules'), { recursive: true })
    expect((await install(folder).done).code).toBe(0)
    expect(installs(folder)).toBe(3)
  })

  test('accepts what a plain npm install has done', async () => {
    const folder = newProject()
    execFileSync('npm', ['install', '--offline'], { cwd: folder, stdio: 'pipe' })
    expect(await install(folder).done).toEqual({ code: 0, said: '', printed: '' })
    expect(installs(folder)).toBe(1)
    expect(fs.existsSync(stamp(folder))).toBe(true)
  })

  test('two at once: one installs, the other waits for it', async () => {
    const folder = newProject()
    fs.writeFileSync(join(folder, 'wait'), '')
    const first = install(folder)
    await waitsInside(folder)
    const second = install(folder)
    await expect.poll(() => second.outcome.said, { timeout: 150_000 }).toContain('Another process')
    fs.writeFileSync(join(folder, 'go'), '')
    expect([(await first.done).code, (await second.done).code]).toEqual([0, 0])
    expect(installs(folder)).toBe(1)
  })

  test('killed half-way, alone or with npm: the next one installs again', async () => {
    for (const with_npm of [true, false]) {
      const folder = newProject()
      fs.writeFileSync(join(folder, 'wait'), '')
      const { child, done } = install(folder)
      await waitsInside(folder)
      const npm = npmPid(folder)
      child.kill('SIGKILL')
      if (with_npm) process.kill(-npm, 'SIGKILL')
      await once(child, 'exit')
      expect(fs.existsSync(stamp(folder))).toBe(false)
      const next = install(folder)
      await waitsInside(folder, 2)
      expect(commandLine(npm)).toBe('')
      fs.writeFileSync(join(folder, 'go'), '')
      expect((await next.done).code).toBe(0)
      expect(fs.existsSync(stamp(folder))).toBe(true)
      await done
    }
  })

  test('interrupted half-way, it ends npm too and reports it', async () => {
    const folder = newProject()
    fs.writeFileSync(join(folder, 'wait'), '')
    const { child, done } = install(folder)
    await waitsInside(folder)
    const npm = npmPid(folder)
    child.kill('SIGTERM')
    const { code, said } = await done
    expect(code).toBe(1)
    expect(said).toContain('The installation was interrupted (SIGTERM)')
    expect(commandLine(npm)).toBe('')
    expect(fs.existsSync(stamp(folder))).toBe(false)
    expect(fs.existsSync(join(folder, '.installing'))).toBe(false)
  })

  test("a failure is one sentence beside npm's own words", async () => {
    const folder = newProject()
    describeProject(folder, { devDependencies: { node: 'file:elsewhere' } })
    const { code, said } = await install(folder).done
    expect(code).toBe(1)
    expect(said).toMatch(/npm error/)
    expect(said).toMatch(/The installation failed: `npm ci` ended with code 1/)
    expect(said).not.toMatch(/ {4}at /)
  })

  test('a runtime that is not Node 24 is refused', async () => {
    const { code, said } = await install(newProject({}, 'v20.1.0')).done
    expect(code).toBe(1)
    expect(said).toMatch(/answers "v20\.1\.0" instead of v24/)
  })

  test('without npm it says what is missing', async () => {
    const { code, said } = await install(newProject(), { PATH: '/nowhere' }).done
    expect(code).toBe(1)
    expect(said).toMatch(/npm cannot be run \(ENOENT\)/)
  })
})

describe('the dodeca command', () => {
  test('installs, hands over arguments, and ends as the command did', async () => {
    const folder = newProject()
    fs.writeFileSync(
      join(folder, 'src/cli.ts'),
      `const words: string[] = process.argv.slice(2)
       console.log(words.join('+'))
       process.exitCode = words.length`,
    )
    const first = await start(folder, 'bin/dodeca.mjs', ['user', 'create', 'a b']).done
    expect([first.code, first.printed]).toEqual([3, 'user+create+a b\n'])
    expect(installs(folder)).toBe(1)
    expect(await start(folder, 'bin/dodeca.mjs', ['help']).done).toEqual({
      code: 1,
      said: '',
      printed: 'help\n',
    })
  })

  test('passes a signal on, and dies of the one that the command died of', async () => {
    const folder = newProject()
    await install(folder).done
    fs.writeFileSync(
      join(folder, 'src/cli.ts'),
      `if (process.argv[2] === 'polite') process.on('SIGTERM', () => process.exit(7))
       setInterval(() => {}, 1000)
       console.log('ready')`,
    )
    for (const [word, code, signal] of [
      ['polite', 7, null],
      ['rude', null, 'SIGTERM'],
    ] as const) {
      const { child, outcome } = start(folder, 'bin/dodeca.mjs', [word])
      await expect.poll(() => outcome.printed, { timeout: 150_000 }).toBe('ready\n')
      child.kill('SIGTERM')
      expect(await once(child, 'exit')).toEqual([code, signal])
    }
  })
})
