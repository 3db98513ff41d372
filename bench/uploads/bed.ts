/**
 * The environment of one measurement: a folder, a database, the platform, and competitors in
 * separate processes.
 */
import { fork, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bench } from '../ground/comparison.ts'
import { productionEnvironment } from '../ground/platform.ts'
import { startProgram, type Program } from '../ground/program.ts'
import { openOurs, type Ours } from './ours.ts'
import type { Given } from './rival-process.ts'

export const MiB = 1024 * 1024
const usual_seconds = 6

export type Bed = {
  readonly rounds: number
  readonly folder: string
  /** A size of the design, or a sixteenth of it in a trial. */
  size(bytes: number): number
  /** The platform with parts of this size. `api` alone neither scans nor derives. */
  platform(options: { part_bytes: number; roles?: 'api' | 'api,worker' }): Promise<OurPlatform>
  /** Returns the base address of a competitor. */
  rival(kind: Given['kind']): Promise<string>
  folderOf(kind: Given['kind']): string
  close(): Promise<void>
}

type OurPlatform = Ours & { readonly program: Program }

export async function openBed({ options, database }: Bench, name: string): Promise<Bed> {
  const folder = await mkdtemp(join(tmpdir(), `dodeca-bench-${name}-`))
  const url = await database.create(`uploads_${name}`)
  const trial = options.seconds < usual_seconds
  const rivals: ChildProcess[] = []
  const programs: Program[] = []
  const folderOf = (kind: Given['kind']) => join(folder, kind)
  return {
    rounds: options.rounds,
    folder,
    folderOf,
    size: bytes => (trial ? bytes / 16 : bytes),
    platform: async ({ part_bytes, roles = 'api,worker' }) => {
      const program = await startProgram(
        {
          ...productionEnvironment(url),
          ROLES: roles,
          DATA_DIR: join(folder, 'data'),
          PUBLIC_URL: 'http://dodeca.test',
          IDENTITY_REQUIRE_VERIFIED_EMAIL: 'false',
          UPLOADS_PART_BYTES: String(Math.max(5 * MiB, part_bytes)),
          UPLOADS_OPEN_PER_PRINCIPAL: '100000',
          UPLOADS_TENANT_QUOTA_BYTES: String(2 ** 50),
        },
        { side: 'server', profile: options.profile },
      )
      programs.push(program)
      return { ...(await openOurs(program)), program }
    },
    rival: async kind => {
      const port = await startRival(rivals, { kind, folder: folderOf(kind), database_url: url })
      return `http://127.0.0.1:${port}`
    },
    close: async () => {
      for (const one of programs) await one.stop()
      for (const one of rivals) one.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function startRival(all: ChildProcess[], given: Given): Promise<number> {
  const file = fileURLToPath(new URL('./rival-process.ts', import.meta.url))
  const child = fork(file, [], { stdio: 'inherit' })
  all.push(child)
  if (spawnSync('taskset', ['-V']).status === 0) {
    spawnSync('taskset', ['-acp', '0', String(child.pid)])
  }
  child.send(given)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return port
}
