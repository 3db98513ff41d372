/**
 * Companions with real processes: they live as long as any holder, even if holders are killed. A
 * holder is a Node process that prints what it got and releases it when its input ends.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, test } from 'vitest'
import { type Command, companionStopped, holdCompanion } from '../child-processes.ts'
import { commandLine, openDataDir, readJson, writeJson } from '../data-dir.ts'
import { StartError } from '#dodeca/kernel'

const folders: string[] = []
const holders: ChildProcess[] = []

afterEach(async () => {
  for (const holder of holders.splice(0)) holder.kill('SIGKILL')
  for (const folder of folders.splice(0)) {
    await companionStopped(openDataDir(folder), 'bell', 20_000)
    rmSync(folder, { recursive: true, force: true })
  }
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dodeca-companions-'))
  folders.push(folder)
  return folder
}

/**
 * A companion that writes its pid to `ran` when it starts and a line to `ended` when it is stopped.
 */
function bell(folder: string): Command {
  const script = `trap 'echo TERM >> "$0/ended"; exit' TERM; echo $$ >> "$0/ran"
    while :; do sleep 1 & wait $!; done`
  return { argv: ['/bin/sh', '-c', script, folder], env: {} }
}

async function ranPids(folder: string): Promise<number[]> {
  await expect.poll(() => linesOf(join(folder, 'ran')), { timeout: 150_000 }).not.toHaveLength(0)
  return linesOf(join(folder, 'ran')).map(Number)
}

function linesOf(file: string): string[] {
  try {
    // A file that was opened and not yet written has no line, not an empty one.
    return readFileSync(file, 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

/** A dead process that was not reaped yet still has a pid, but no command any more. */
function isAlive(pid: number): boolean {
  return commandLine(pid) !== ''
}

function expectGone(pid: number) {
  return expect.poll(() => isAlive(pid), { timeout: 150_000 }).toBe(false)
}

const companions = new URL('../child-processes.ts', import.meta.url).href
const data_dirs = new URL('../data-dir.ts', import.meta.url).href

type Holder = { child: ChildProcess; joined: boolean; pid: number }

/** `hang` never comes back from `begin`: a starter that can be killed half-way. */
async function holder(folder: string, hang = false): Promise<Holder> {
  const code = `
    import { holdCompanion } from '${companions}'
    import { openDataDir } from '${data_dirs}'
    const held = await holdCompanion(openDataDir(${JSON.stringify(folder)}), 'bell', async launch => {
      await launch(${JSON.stringify(bell(folder))})
      if (${hang}) { console.log('{}'); await new Promise(resolve => setTimeout(resolve, 60_000)) }
      return { begun_by: process.pid }
    })
    console.log(JSON.stringify({ joined: held.joined, begun_by: held.facts.begun_by }))
    process.stdin.on('end', () => held.release()).resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  holders.push(child)
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { child, ...(JSON.parse(line) as { joined: boolean }), pid: child.pid ?? 0 }
}

describe('a companion', () => {
  test('runs until its last holder releases it, and is then stopped', async () => {
    const folder = newFolder()
    const data_dir = openDataDir(folder)
    const first = await holdCompanion(data_dir, 'bell', async launch => {
      await launch(bell(folder))
      return { port: 4711 }
    })
    const second = await holdCompanion<{ port: number }>(data_dir, 'bell', () =>
      Promise.reject(new Error('begun twice')),
    )
    expect([first.joined, second.joined]).toEqual([false, true])
    expect(second.facts).toEqual({ port: 4711 })
    const [pid = 0] = await ranPids(folder)
    await first.release()
    const third = await holdCompanion(data_dir, 'bell', () => Promise.reject(new Error('again')))
    expect(third.joined).toBe(true)
    expect(isAlive(pid)).toBe(true)
    await second.release()
    await third.release()
    await expectGone(pid)
    expect(linesOf(join(folder, 'ended'))).toEqual(['TERM'])
    expect(await companionStopped(data_dir, 'bell', 10_000)).toBe(true)
  })

  test('kill -9 of the starter leaves it to the joiner, kill -9 of both leaves nothing', async () => {
    const folder = newFolder()
    const first = await holder(folder)
    const second = await holder(folder)
    expect([first.joined, second.joined]).toEqual([false, true])
    const [pid = 0] = await ranPids(folder)
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const third = await holder(folder)
    expect(third.joined).toBe(true)
    expect(isAlive(pid)).toBe(true)
    second.child.kill('SIGKILL')
    third.child.kill('SIGKILL')
    await expectGone(pid)
    expect(linesOf(join(folder, 'ended'))).toEqual(['TERM'])
  })

  test('is begun by exactly one of many that start at once, also right after a massacre', async () => {
    const folder = newFolder()
    for (let round = 1; round <= 2; round++) {
      const all = await Promise.all(Array.from({ length: 5 }, () => holder(folder)))
      expect(all.filter(each => !each.joined)).toHaveLength(1)
      for (const each of all) each.child.kill('SIGKILL')
    }
    const last = await holder(folder)
    expect(last.joined).toBe(false)
    const pids = await ranPids(folder)
    expect(pids.slice(0, -1).filter(isAlive)).toEqual([])
  })

  test('does not get the signals of the terminal that its starter gets', async () => {
    const folder = newFolder()
    const first = await holder(folder)
    const second = await holder(folder)
    const [pid = 0] = await ranPids(folder)
    process.kill(-first.pid, 'SIGINT')
    process.kill(-first.pid, 'SIGTERM')
    await once(first.child, 'exit')
    expect((await holder(folder)).joined).toBe(true)
    expect(isAlive(pid)).toBe(true)
    expect(second.child.exitCode).toBeNull()
  })

  test('is started again with the same command when it dies by itself', async () => {
    const folder = newFolder()
    await holder(folder)
    const [pid = 0] = await ranPids(folder)
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => linesOf(join(folder, 'ran')), { timeout: 150_000 }).toHaveLength(2)
    expect((await holder(folder)).joined).toBe(true)
  })

  test('a starter killed before it was of use is not joined', async () => {
    const folder = newFolder()
    const hung = await holder(folder, true)
    const [pid = 0] = await ranPids(folder)
    hung.child.kill('SIGKILL')
    const next = await holder(folder)
    expect(next.joined).toBe(false)
    expect(isAlive(pid)).toBe(false)
  })

  test('a start that fails leaves nothing behind and does not hinder the next', async () => {
    const folder = newFolder()
    const data_dir = openDataDir(folder)
    const failing = holdCompanion(data_dir, 'bell', async launch => {
      await launch(bell(folder))
      await ranPids(folder)
      throw new Error('not of use')
    })
    await expect(failing).rejects.toThrow('not of use')
    const [pid = 0] = await ranPids(folder)
    expect(isAlive(pid)).toBe(false)
    expect((await holder(folder)).joined).toBe(false)
  })

  // Finding the guardian, the keeper's parent, takes Linux's list of processes.
  test.skipIf(!existsSync('/proc/self/stat'))(
    'whose guardian was killed is ended before a new one begins',
    async () => {
      const folder = newFolder()
      const first = await holder(folder)
      const [pid = 0] = await ranPids(folder)
      const journal = linesOf(join(folder, 'companions', 'bell.journal'))
      const keeper = Number(journal.find(line => line.startsWith('keeper '))?.split(' ')[1])
      const guardian = Number(
        /^\d+ \(.*\) . (\d+)/.exec(readFileSync(`/proc/${keeper}/stat`, 'utf8'))?.[1],
      )
      process.kill(guardian, 'SIGKILL')
      process.kill(keeper, 'SIGKILL')
      first.child.kill('SIGKILL')
      await expectGone(guardian)
      expect(isAlive(pid)).toBe(true)
      expect((await holder(folder)).joined).toBe(false)
      expect(isAlive(pid)).toBe(false)
    },
  )

  test('that ignores its signals is killed after its grace', async () => {
    const folder = newFolder()
    const stubborn = `trap '' TERM; echo $$ >> "$0/ran"; while :; do sleep 1; done`
    const held = await holdCompanion(openDataDir(folder), 'bell', async launch => {
      await launch({ argv: ['/bin/sh', '-c', stubborn, folder], env: {}, grace_seconds: 1 })
      return {}
    })
    const [pid = 0] = await ranPids(folder)
    expect(isAlive(pid)).toBe(true)
    await held.release()
    await expectGone(pid)
  })

  test('that ends at once says so, with its words', async () => {
    const folder = newFolder()
    await holdCompanion(openDataDir(folder), 'bell', async launch => {
      const argv = ['/bin/sh', '-c', 'echo "no room" >&2; exit 3']
      const launched = await launch({ argv, env: {} })
      await expect.poll(() => launched.ended()).toBe(true)
      expect(launched.output()).toBe('no room\n')
      return {}
    }).then(held => held.release())
  })
})

describe('the data folder', () => {
  test('a lock admits one at a time and survives the death of its holder', async () => {
    const folder = newFolder()
    const data_dir = openDataDir(folder)
    let inside = 0
    const most: number[] = []
    const visit = () =>
      data_dir.locked('visit', async () => {
        most.push(++inside)
        await Promise.resolve()
        inside--
      })
    // A pid that no process has: the highest one is far above what any system hands out.
    symlinkSync('2147483646.1.dead', join(folder, '.visit.lock'))
    await Promise.all([visit(), visit(), visit(), visit()])
    expect(most).toEqual([1, 1, 1, 1])
  })

  test('JSON files are for this account only, and a broken one is named', () => {
    const file = join(newFolder(), 'runtime.json')
    expect(readJson(file)).toBeUndefined()
    writeJson(file, { pids: [1] })
    writeJson(file, { pids: [1, 2] })
    expect(readJson(file)).toEqual({ pids: [1, 2] })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, '{')
    expect(() => readJson(file)).toThrow(StartError)
  })

  test('a folder that cannot be written stops the start with a plain sentence', () => {
    const file = join(newFolder(), 'file')
    writeFileSync(file, '')
    for (const path of [file, join(file, 'data'), '/proc/self/data']) {
      expect(() => openDataDir(path)).toThrow(StartError)
    }
  })
})
