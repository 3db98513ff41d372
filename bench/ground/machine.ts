/**
 * The machine: its description, and which of its processors the server uses. The server is pinned
 * to the first processor and the client to the second, so that they do not compete. PostgreSQL may
 * use both.
 */
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

export type Side = 'server' | 'client' | 'free'

const pinned = cpus().length > 1 && spawnSync('taskset', ['-V']).status === 0

export type Start = {
  readonly side: Side
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly stdio?: StdioOptions
  readonly cwd?: string
}

/** The pid is that of the started program, because taskset replaces itself with it. */
export function startOn({
  side,
  program,
  args,
  env = {},
  stdio = 'pipe',
  cwd,
}: Start): ChildProcess {
  const cpu = side === 'server' ? '0' : '1'
  const [file, list] =
    side === 'free' || !pinned ? [program, args] : ['taskset', ['-c', cpu, program, ...args]]
  return spawn(file, list, { stdio, cwd, env: { ...process.env, ...env } })
}

export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

const ticks_per_second = 100

export type ProcessorTime = { readonly whole_s: number; readonly user_s: number }

/** The processor time that a process has used so far; null if the system does not report it. */
export async function processorTime(pid: number | undefined): Promise<ProcessorTime | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (text === null) return null
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  return { whole_s: (user + system) / ticks_per_second, user_s: user / ticks_per_second }
}

export async function processorSeconds(pid: number | undefined): Promise<number | null> {
  return (await processorTime(pid))?.whole_s ?? null
}

export async function residentMegabytes(pid: number | undefined): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const found = /^VmRSS:\s+(\d+) kB/m.exec(text)?.[1]
  return found ? Number(found) / 1024 : null
}

const idle_share = 0.75
const idle_seconds_max = 90

/** Waits until the machine has been mostly idle for two seconds in a row, but not for ever. */
export async function untilIdle(): Promise<void> {
  let idle = 0
  for (let second = 0; idle < 2 && second < idle_seconds_max; second++) {
    const before = processorTimes()
    await wait(1000)
    const now = processorTimes()
    const share = (now.idle - before.idle) / (now.whole - before.whole)
    idle = share >= idle_share ? idle + 1 : 0
  }
}

function processorTimes(): { readonly idle: number; readonly whole: number } {
  const all = cpus().map(({ times }) => times)
  const idle = all.reduce((sum, times) => sum + times.idle, 0)
  const whole = all.flatMap(times => Object.values(times)).reduce((sum, one) => sum + one, 0)
  return { idle, whole }
}

/** One line about what the figures were taken on. */
export function machineFacts(postgres_version: string, date: string): string {
  const [cpu] = cpus()
  const memory_gb = Math.round(totalmem() / 2 ** 30)
  return [
    date,
    `${cpu?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${memory_gb} GB`,
    `Node ${process.versions.node}`,
    `PostgreSQL ${postgres_version} with fsync`,
    pinned ? 'server on core 0, client on core 1' : 'processes not pinned',
  ].join(' · ')
}
