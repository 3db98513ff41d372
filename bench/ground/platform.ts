/** The platform as the thing measured: its process in the production profile, and how to speak to it. */
import { fileURLToPath } from 'node:url'
import { newSecret } from '#dodeca/kernel'
import { startBeating, type Beating } from './beating.ts'
import type { Side } from './machine.ts'
import type { Options } from './options.ts'
import type { Ready } from './platform-process.ts'
import type { Consumption } from './pulse.ts'

export type Platform = Ready & Beating

export type PlatformOptions = {
  readonly database_url: string
  readonly roles?: 'api' | 'worker' | 'api,worker'
  readonly consuming?: Consumption
  /** With the account book, or only with the pulse, so that no other consumer runs. */
  readonly surfaces?: 'book' | 'pulse'
  readonly side?: Side
  readonly profile?: Options['profile']
}

const secret = () => Buffer.from(newSecret(32), 'base64url').toString('base64')
const keyring = `k1:${secret()}`
const pepper = secret()

/** Without limits, otherwise configured as an operator would. */
export function productionEnvironment(database_url: string): Record<string, string> {
  return {
    DATABASE_URL: database_url,
    PROFILE: 'production',
    PORT: '0',
    LOG_LEVEL: 'error',
    KERNEL_KEYRING: keyring,
    KERNEL_PEPPER: pepper,
    NOTIFICATIONS_EMAIL_PROVIDERS: 'none',
    KERNEL_RATE_FACTOR: '1000000',
    KERNEL_DRAIN_SECONDS: '0',
    // A comparison may take longer than the usual five minutes.
    IDENTITY_ACCESS_TTL_SECONDS: '3600',
  }
}

export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const {
    database_url,
    roles = 'api,worker',
    consuming = 'none',
    side = 'server',
    surfaces = 'book',
  } = options
  const profiling = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : []
  return await startBeating<Ready>({
    side,
    program: process.execPath,
    args: [
      ...profiling,
      fileURLToPath(new URL('./platform-process.ts', import.meta.url)),
      consuming,
      surfaces,
    ],
    env: { ...productionEnvironment(database_url), ROLES: roles },
  })
}
