/**
 * Reads the environment and checks it against the settings that the kernel and the surfaces
 * declare. An unknown name or value stops the start with a sentence that says what to do.
 */
import { resolve } from 'node:path'
import { edits, suggestion } from '../kernel/errors/did-you-mean.ts'
import { StartError } from '../kernel/errors/start-error.ts'
import { general } from './general-settings.ts'
import { place_variable, type Place } from './processes/messages.ts'
import { choice, databaseUrl, integer, publicUrl, roles } from './read-variables.ts'
import {
  kernelSettings,
  type KernelSettings,
  type Setting,
  type SettingTable,
} from '../kernel/settings.ts'

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

export type Environment = Readonly<Record<string, string | undefined>>

const prefixes =
  /^(KERNEL|IDENTITY|COMMERCE|SOCIAL|UPLOADS|NOTIFICATIONS|CHAT|INFERENCE|RETRIEVAL|PAYMENTS|LINKS|JOBS|WEBHOOKS)_/

/** The tables of the surfaces, by name; the kernel's own is always included. */
export type SettingTables = readonly SettingTable[]

/** The configuration of this process. `overrides` come from the command line and win. */
export function readConfig(
  tables: SettingTables,
  overrides: Environment = {},
  env: Environment = process.env,
): Config {
  const all: Environment = { ...env, ...overrides }
  const table = wholeTable(tables)
  refuseUnknown(all, table)
  const profile = choice(all, 'PROFILE', ['development', 'production'] as const, 'development')
  const host = all['HOST'] || '127.0.0.1'
  const port = integer(all, 'PORT', 8080, 0, 65_535)
  const settings = readSettings(all, table, profile)
  if (profile === 'production' && settings['kernel.faults']) {
    throw new StartError('KERNEL_FAULTS is for development: unset it, or set PROFILE=development.')
  }
  if (profile === 'production' && settings['kernel.sandbox']) {
    throw new StartError('KERNEL_SANDBOX is for development: unset it, or set PROFILE=development.')
  }
  return {
    profile,
    host,
    port,
    settings,
    database_url: databaseUrl(all),
    embedded_by_name: all['DATABASE_URL'] === 'embedded',
    public_url: publicUrl(all, host, port),
    data_dir: resolve(all['DATA_DIR'] || './data'),
    roles: roles(all),
    processes: all['PROCESSES'] === 'auto' ? 'auto' : integer(all, 'PROCESSES', 1, 1, 256),
    worker_processes: all['WORKER_PROCESSES'] ? integer(all, 'WORKER_PROCESSES', 0, 0, 256) : null,
    log_level: choice(
      all,
      'LOG_LEVEL',
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const,
      'info',
    ),
    admin_email: all['ADMIN_EMAIL'] || null,
    admin_password: all['ADMIN_PASSWORD'] || null,
    otel_endpoint: all['OTEL_EXPORTER_OTLP_ENDPOINT'] || null,
    limits: limitsOf(settings, table, profile),
  }
}

/** The place of this process among several. Undefined if no parent has started this process. */
export function ownPlace(env: Environment = process.env): Place | undefined {
  const text = env[place_variable]
  return text === undefined ? undefined : (JSON.parse(text) as Place)
}

function wholeTable(tables: SettingTables): SettingTable {
  return Object.assign({}, kernelSettings, ...tables) as SettingTable
}

function variable(name: string): string {
  return name.replace('.', '_').toUpperCase()
}

function refuseUnknown(env: Environment, table: SettingTable): void {
  const known = Object.keys(table).map(variable)
  const names = [...known, ...general.map(one => one.variable)]
  for (const name of Object.keys(env)) {
    if (names.includes(name)) continue
    if (!prefixes.test(name) && !isSlip(name, names)) continue
    throw new StartError(
      `There is no setting ${name}.${suggestion(name, names)} \`npx dodeca help settings\` lists all of them.`,
    )
  }
}

/**
 * A long name that differs from one of ours in one or two letters is refused. Otherwise DATABSE_URL
 * would silently start an embedded database. Short names belong to other programs.
 */
function isSlip(name: string, names: readonly string[]): boolean {
  // The distance takes 0.1 ms for a pair of names, and there are 20,000 pairs.
  const alike = names.filter(one => one.length >= 8 && Math.abs(one.length - name.length) <= 2)
  return name.length >= 8 && alike.some(one => edits(name, one) <= 2)
}

function readSettings(env: Environment, table: SettingTable, profile: Profile): SettingValues {
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(table)) {
    values[name] = read(variable(name), env[variable(name)], setting, profile)
  }
  // Rules about other times reckon with the seconds that are waited.
  if (values['kernel.drain_seconds'] === -1) {
    values['kernel.drain_seconds'] = profile === 'production' ? 5 : 0
  }
  return values as SettingValues
}

function read(
  name: string,
  given: string | undefined,
  setting: Setting,
  profile: Profile,
): unknown {
  if (given === undefined || given === '') return fallback(setting, profile)
  if (setting.kind === 'number') {
    const value = Number(given)
    if (!Number.isFinite(value) || value < setting.min || value > setting.max) {
      throw new StartError(
        `${name} must be a number from ${setting.min} to ${setting.max} (${setting.unit}). ${setting.says}.`,
      )
    }
    return value
  }
  if (setting.kind === 'flag') {
    if (given !== 'true' && given !== 'false')
      throw new StartError(`${name} must be true or false. ${setting.says}.`)
    return given === 'true'
  }
  if (setting.kind === 'list')
    return given
      .split(',')
      .map(one => one.trim())
      .filter(Boolean)
  if (setting.kind === 'numbers') {
    const values = given.split(',').map(Number)
    if (!values.every(value => Number.isFinite(value) && value >= 0)) {
      throw new StartError(
        `${name} must be numbers separated by commas (${setting.unit}). ${setting.says}.`,
      )
    }
    return values
  }
  if (setting.oneOf && !setting.oneOf.includes(given)) {
    throw new StartError(`${name} must be one of ${setting.oneOf.join(', ')}. ${setting.says}.`)
  }
  return given
}

function fallback(setting: Setting, profile: Profile): unknown {
  if (setting.kind !== 'flag') return setting.default
  return typeof setting.default === 'boolean' ? setting.default : setting.default === profile
}

/**
 * `webhooks.timeouts` is listed as `webhooks.timeouts.dns`, `webhooks.timeouts.total` and so on.
 */
function partsOf(
  name: string,
  value: unknown,
  setting: Extract<Setting, { kind: 'text' }>,
): Limit[] {
  const numbersOf = (text: unknown) =>
    new Map(
      String(text)
        .split(',')
        .map(part => part.trim().split(':', 2) as [string, string]),
    )
  const given = numbersOf(value)
  const usual = numbersOf(setting.default)
  return Object.entries(setting.parts ?? {}).map(([part, unit]) => ({
    name: `${name}.${part}`,
    value: Number(given.get(part) ?? usual.get(part)),
    unit,
    default: Number(usual.get(part)),
    applies_to: setting.says,
  }))
}

function limitsOf(settings: SettingValues, table: SettingTable, profile: Profile): Limit[] {
  return Object.entries(table).flatMap(([name, setting]) => {
    if (setting.kind === 'text' && setting.parts) return partsOf(name, settings[name], setting)
    if (setting.kind === 'text' || setting.kind === 'list') return []
    return [
      {
        name,
        value: settings[name] as Limit['value'],
        unit: setting.kind === 'flag' ? 'flag' : setting.unit,
        default: fallback(setting, profile) as Limit['default'],
        applies_to: setting.says,
      },
    ]
  })
}

export type DescribedSetting = {
  readonly variable: string
  readonly default: string
  readonly says: string
  /** The only values that the setting may have, or null. */
  readonly values: readonly string[] | null
}

function valuesOf(setting: Setting): readonly string[] | null {
  if (setting.kind === 'flag') return ['true', 'false']
  return setting.kind === 'text' ? (setting.oneOf ?? null) : null
}

/** Lists every setting with its variable, default and sentence, for the command line's help. */
export function describeSettings(tables: SettingTables): DescribedSetting[] {
  const declared = Object.entries(wholeTable(tables)).map(([name, setting]) => ({
    variable: variable(name),
    default: String(setting.default ?? '') || '(none)',
    says: setting.says,
    values: valuesOf(setting),
  }))
  return [...general, ...declared]
}
