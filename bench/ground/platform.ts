/** The platform as the thing measured: its process in the production profile, and how to speak to it. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { newSecret } from '../../src/kernel/ids.ts'
import { StartError } from '../../src/kernel/start-error.ts'
import { ended, startOn, type Side } from './machine.ts'
import type { Options } from './options.ts'
import type { Asked, Ready, Times } from './platform-process.ts'
import type { Hearing } from './pulse.ts'

export type Platform = Ready & {
  readonly pid: number | undefined
  /** Makes events, one after the other. */
  beat(count: number, gap_ms: number): Promise<void>
  /** When events were committed and heard here since the last time it was asked. */
  times(): Promise<Times>
  stop(): Promise<void>
}

export type PlatformOptions = {
  readonly database_url: string
  readonly roles?: 'api' | 'worker' | 'api,worker'
  readonly hearing?: Hearing
  readonly side?: Side
  readonly profile?: Options['profile']
}

const secret = () => Buffer.from(newSecret(32), 'base64url').toString('base64')
const keyring = `k1:${secret()}`
const pepper = secret()

/** Limits out of the way, everything else as an operator would run it. */
export function productionEnvironment(database_url: string): Record<string, string> {
  return {
    DATABASE_URL: database_url,
    PROFILE: 'production',
    PORT: '0',
    LOG_LEVEL: 'error',
    KERNEL_KEYRING: keyring,
    KERNEL_PEPPER: pepper,
    KERNEL_RATE_FACTOR: '1000000',
    KERNEL_DRAIN_SECONDS: '0',
  }
}

export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { database_url, roles = 'api,worker', hearing = 'none', side = 'server' } = options
  const entry = fileURLToPath(new URL('./platform-process.ts', import.meta.url))
  const profiling = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : []
  const child = startOn({
    side,
    program: process.execPath,
    args: [...profiling, entry, hearing],
    env: { ...productionEnvironment(database_url), ROLES: roles },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [message] = (await Promise.race([
    once(child, 'message'),
    ended(child).then(() => {
      throw new StartError('The platform did not start; what it said stands above.')
    }),
  ])) as [{ ready: Ready }]
  const asking = async (asked: Asked): Promise<unknown> => {
    child.send(asked)
    const [answer] = (await once(child, 'message')) as [{ done: unknown }]
    return answer.done
  }
  return {
    ...message.ready,
    pid: child.pid,
    beat: async (count, gap_ms) => void (await asking({ ask: 'beat', count, gap_ms })),
    times: async () => (await asking({ ask: 'times' })) as Times,
    stop: async () => {
      child.kill('SIGTERM')
      await ended(child)
    },
  }
}
