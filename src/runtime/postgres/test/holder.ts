/**
 * Databases of a test and the processes that hold them: each a Node process that opens and releases
 * one.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { companionStopped } from '../../child-processes.ts'
import { commandLine, openDataDir } from '../../data-dir.ts'
import { openPostgres, postgres_companion, type PostgresOptions } from '../start-embedded.ts'

const folders: string[] = []
const data_dirs = new Set<string>()
const holders: ChildProcess[] = []

/** Ends every holder and its server, and deletes the folders. */
export async function clear(): Promise<void> {
  for (const holder of holders.splice(0)) holder.kill('SIGKILL')
  for (const data_dir of data_dirs) await stopped(data_dir)
  data_dirs.clear()
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
}

/** Closed to all others, as mkdtemp makes it: what a clone in root's home is. */
export function closedFolder(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'dodeca-postgres-'))
  folders.push(folder)
  return folder
}

export function openFolder(): string {
  const folder = closedFolder()
  fs.chmodSync(folder, 0o755)
  return folder
}

export function optionsFor(folder: string): PostgresOptions {
  const data_dir = join(folder, 'data')
  data_dirs.add(data_dir)
  return { data_dir, progress: () => undefined }
}

export function stopped(data_dir: string): Promise<boolean> {
  return companionStopped(openDataDir(data_dir), postgres_companion, 20_000)
}

type Opened = { url: string; joined: boolean; cluster_dir: string }
export type Holder = Opened & { child: ChildProcess }

const module_url = new URL('../start-embedded.ts', import.meta.url).href

export async function holder(options: PostgresOptions): Promise<Holder> {
  const code = `
    import { openPostgres } from '${module_url}'
    const held = await openPostgres({ ...${JSON.stringify(options)}, progress: () => undefined })
    console.log(JSON.stringify(held))
    process.stdin.on('end', () => held.release()).resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  holders.push(child)
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`A holder ended with ${code} before it held the database.`)
  })
  const first_line = once(createInterface(child.stdout), 'line')
  const [line] = (await Promise.race([first_line, ended])) as [string]
  return { child, ...(JSON.parse(line) as Opened) }
}

export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

export function postmasterPid(cluster_dir: string): number {
  return Number.parseInt(fs.readFileSync(join(cluster_dir, 'postmaster.pid'), 'utf8'), 10)
}

export function isServer(pid: number): boolean {
  return commandLine(pid).includes('postgres -D ')
}

export async function started(folder: string) {
  const held = await openPostgres(optionsFor(folder))
  await query(held.url, keep)
  return held
}

export const keep = 'create table kept as select 42 as answer'
export const kept = 'select answer from kept'
