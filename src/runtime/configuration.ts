/** The configuration of a process, as it is read from the environment. */
import type { KernelSettings } from '../kernel/settings.ts'

export type SettingValues = KernelSettings & Readonly<Record<string, unknown>>

export type Limit = {
  name: string
  value: number | boolean | number[]
  unit: string
  default: number | boolean | number[]
  applies_to: string
}

export type Profile = 'development' | 'production'
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'

export type Config = {
  /** Null means the embedded PostgreSQL. */
  readonly database_url: string | null
  /** Whether DATABASE_URL is `embedded`. Production uses the embedded PostgreSQL only then. */
  readonly embedded_by_name: boolean
  readonly host: string
  readonly port: number
  readonly public_url: string
  readonly data_dir: string
  readonly profile: Profile
  readonly roles: readonly ('api' | 'worker')[]
  /**
   * The number of processes that answer requests. If the platform has the worker role alone, the
   * number of its workers.
   */
  readonly processes: number | 'auto'
  /**
   * The number of processes that only work, in addition to those. Null means one if there are
   * several processes.
   */
  readonly worker_processes: number | null
  readonly log_level: LogLevel
  readonly admin_email: string | null
  readonly admin_password: string | null
  readonly otel_endpoint: string | null
  /** The settings of the kernel and of all surfaces. A surface gets only its own (`kernelFor`). */
  readonly settings: SettingValues
  readonly limits: readonly Limit[]
}
