/**
 * An installation as a person has it: data folders in a folder of its own, commands, and the
 * platform beside them on its embedded PostgreSQL. What was started ends with the test file.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { inherited, startProcess, type PlatformProcess } from '../../../test/process.ts'
import { newId, type Kernel } from '#dodeca/kernel'
import { companionStopped } from '../../runtime/child-processes.ts'
import { openDataDir, readJson } from '../../runtime/data-dir.ts'
import { openKeyring } from '../../kernel/keys.ts'
import { people } from '../../../test/surfaces/people/surface.ts'
import { runHere, type Outcome } from './in-process.ts'
import { composition, config } from './tested.ts'

export type Running = {
  readonly child: ChildProcess
  readonly outcome: Promise<Outcome>
  out(): string
}

export type Installation = {
  readonly folder: string
  data(name: string): string
  environment(data_dir: string): Record<string, string>
  /** The command over the test surfaces in a process of its own; `entry` names another program. */
  begin(data_dir: string, args: readonly string[], how?: Process): Running
  /** The command in this process; `real` over the surfaces of the platform. */
  run(data_dir: string, args: readonly string[], how?: How): Promise<Outcome>
  platform(data_dir: string, settings?: Record<string, string>): Promise<PlatformProcess>
  close(): Promise<void>
}
type Process = { entry?: string; env?: Record<string, string> }
type How = { real?: boolean; env?: Record<string, string> }

export const real_binary = join(import.meta.dirname, '../../../bin/dodeca.mjs')
const tested = { composition: () => Promise.resolve(composition), config }
const tested_cli = fileURLToPath(new URL('./dodeca.child.ts', import.meta.url))

export function newInstallation(): Installation {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'dodeca-cli-')))
  // The account that runs PostgreSQL for root walks through here.
  chmodSync(folder, 0o755)
  const used = new Set<string>()
  const started: PlatformProcess[] = []
  const environment = (data_dir: string) => ({
    DATA_DIR: data_dir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    KERNEL_SANDBOX: 'false',
    KERNEL_RATE_FACTOR: '10000',
  })
  const begin: Installation['begin'] = (data_dir, args, { entry = tested_cli, env = {} } = {}) => {
    used.add(data_dir)
    const child = spawn(process.execPath, [entry, ...args], {
      cwd: folder,
      env: { ...inherited, ...environment(data_dir), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stdout.on('data', part => (out += String(part)))
    child.stderr.on('data', part => (err += String(part)))
    const outcome = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      out,
      err,
    }))
    return { child, outcome, out: () => out }
  }
  return {
    folder,
    data: name => join(folder, name),
    environment,
    begin,
    run: (data_dir, args, { real = false, env = {} } = {}) => {
      used.add(data_dir)
      return runHere(args, { ...environment(data_dir), ...env }, real ? {} : tested)
    },
    platform: async (data_dir, settings = {}) => {
      used.add(data_dir)
      const one = await startProcess({ ...environment(data_dir), ...settings })
      started.push(one)
      return one
    },
    close: async () => {
      await Promise.all(started.map(one => one.kill()))
      for (const data_dir of used) await databaseStopped(data_dir)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function databaseStopped(data_dir: string): Promise<void> {
  if (existsSync(join(data_dir, 'companions'))) {
    await companionStopped(openDataDir(data_dir), 'postgres', 60_000)
  }
}

/** Rows of the database of the platform that runs on this data folder. */
export async function query<Row extends pg.QueryResultRow>(
  data_dir: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const { database_url } = readJson(join(data_dir, 'runtime.json')) as { database_url: string }
  const client = new pg.Client({ connectionString: database_url })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

/** A token of an account in a new tenant that may move money. */
export async function tellerOf(data_dir: string): Promise<string> {
  const file = join(data_dir, 'keys.json')
  const keys = await openKeyring({ keyring: null, pepper: null, file, may_create: true })
  const principal = {
    id: newId(),
    tenant_id: newId(),
    kind: 'account',
    session_id: newId(),
    aal: 'aal1',
    auth_time: 0,
  } as const
  await query(
    data_dir,
    'insert into people.grants (tenant_id, account_id, permission) values ($1, $2, $3)',
    [principal.tenant_id, principal.id, 'book.transfers.make'],
  )
  return people.open({ keys } as Kernel, {}).face.token(principal)
}
