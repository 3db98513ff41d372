/**
 * Reads the environment and checks it against the settings that the kernel and the surfaces
 * declare. Every fault is found before anything is touched: unknown names, values, files of
 * secrets, and combinations that cannot work. Together they are one error, a sentence for each.
 */
import { resolve } from 'node:path'
import { edits, suggestion } from '../kernel/errors/did-you-mean.ts'
import { refusals, StartError, type Deployment, type SettingTable } from '#dodeca/kernel'
import type { Config, Limit, Profile, SettingValues } from './configuration.ts'
import { general } from './general-settings.ts'
import { place_variable, type Place } from './processes/messages.ts'
import {
  choice,
  databaseUrl,
  integer,
  publicUrl,
  roles,
  secretFrom,
  type Environment,
} from './read-variables.ts'
import { platformFaults } from './setting-rules.ts'
import { surface_names } from './surface-names.ts'
import { kernelSettings, type Setting } from '../kernel/settings.ts'

export type { Config, SettingValues } from './configuration.ts'
export type { Environment }

/** What a surface declares in its `settings.ts`. */
export type Declared = {
  readonly settings: SettingTable
  /** Returns a sentence for each value and combination that cannot work, from settings alone. */
  settingFaults?(settings: never, deployment: Deployment): readonly string[]
}

/**
 * The configuration of this process. `overrides` come from the command line and win; `usual` are
 * the application's own values, and lose.
 */
export function readConfig(
  declared: readonly Declared[],
  overrides: Environment = {},
  env: Environment = process.env,
  usual: Environment = {},
): Config {
  const table = wholeTable(declared.map(one => one.settings))
  const faults = new Map<string, string>()
  const attempt: Attempt = (name, read, otherwise) => {
    let value: typeof otherwise | undefined
    const [fault] = refusals({ [name]: () => (value = read()) })
    if (fault === undefined) return value as typeof otherwise
    faults.set(name, fault)
    return otherwise
  }
  const given: Environment = { ...usual, ...env, ...overrides }
  for (const [name, sentence] of unknownNames(given, table)) faults.set(name, sentence)
  const all = { ...given, ...secretFiles(env, overrides, secretsOf(table), attempt) }
  const config = configOf(all, table, attempt)
  const rules = [
    ...platformFaults(config),
    ...declared.flatMap(one => one.settingFaults?.(config.settings as never, config) ?? []),
  ]
  // A rule about a value that could not be read would only repeat its fault.
  const broken = rules.filter(rule => ![...faults.keys()].some(name => rule.includes(name)))
  const sentences = [...faults.values(), ...broken]
  if (sentences.length > 0) throw new StartError(sentences.join('\n'))
  return config
}

/** Returns `otherwise` if the value of the variable cannot be read, and records the fault. */
type Attempt = <T>(variable: string, read: () => T, otherwise: T) => T

function configOf(all: Environment, table: SettingTable, attempt: Attempt): Config {
  const pick = <const T extends readonly string[]>(name: string, options: T, usual: T[number]) =>
    attempt(name, () => choice(all, name, options, usual), usual)
  const whole = (name: string, usual: number, min: number, max: number) =>
    attempt(name, () => integer(all, name, usual, min, max), usual)
  const profile = pick('PROFILE', ['development', 'production'] as const, 'development')
  const host = all['HOST'] || '127.0.0.1'
  const port = whole('PORT', 8080, 0, 65_535)
  const settings = readSettings(all, table, profile, attempt)
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
  return {
    profile,
    host,
    port,
    settings,
    database_url: attempt('DATABASE_URL', () => databaseUrl(all), null),
    embedded_by_name: all['DATABASE_URL'] === 'embedded',
    public_url: attempt('PUBLIC_URL', () => publicUrl(all, host, port), ''),
    data_dir: resolve(all['DATA_DIR'] || './data'),
    roles: attempt('ROLES', () => roles(all), []),
    processes: all['PROCESSES'] === 'auto' ? 'auto' : whole('PROCESSES', 1, 1, 256),
    worker_processes: all['WORKER_PROCESSES'] ? whole('WORKER_PROCESSES', 0, 0, 256) : null,
    log_level: pick('LOG_LEVEL', levels, 'info'),
    admin_email: all['ADMIN_EMAIL'] || null,
    admin_password: all['ADMIN_PASSWORD'] || null,
    otel_endpoint: all['OTEL_EXPORTER_OTLP_ENDPOINT'] || null,
    limits: limitsOf(settings, table, profile),
  }
}

/** The secrets that variables <NAME>_FILE name. A value of the command line wins over a file. */
function secretFiles(
  env: Environment,
  overrides: Environment,
  secrets: readonly string[],
  attempt: Attempt,
): Environment {
  const named = secrets.filter(name => env[`${name}_FILE`] && overrides[name] === undefined)
  return Object.fromEntries(
    named.map(name => [name, attempt(name, () => secretFrom(env, name), undefined)]),
  )
}

function secretsOf(table: SettingTable): string[] {
  const own = Object.entries(table).filter(([, one]) => 'secret' in one)
  const others = general.filter(one => one.secret).map(one => one.variable)
  return [...own.map(([name]) => variable(name)), ...others]
}

/** The place of this process among several. Undefined if no parent has started this process. */
export function ownPlace(env: Environment = process.env): Place | undefined {
  const text = env[place_variable]
  return text === undefined ? undefined : (JSON.parse(text) as Place)
}

function wholeTable(tables: readonly SettingTable[]): SettingTable {
  return Object.assign({}, kernelSettings, ...tables) as SettingTable
}

/** Also of surfaces that are off: their settings would do nothing. */
const ours = ['kernel', ...surface_names].map(name => name.toUpperCase())

function prefixOf(name: string): string {
  return name.split('_', 1)[0] ?? ''
}

function variable(name: string): string {
  return name.replace('.', '_').toUpperCase()
}

function unknownNames(env: Environment, table: SettingTable): [name: string, sentence: string][] {
  const known = Object.keys(table).map(variable)
  const files = secretsOf(table).map(name => `${name}_FILE`)
  const names = [...known, ...general.map(one => one.variable), ...files]
  const prefixes = new Set([...ours, ...known.map(prefixOf)])
  return Object.keys(env)
    .filter(name => !names.includes(name) && (prefixes.has(prefixOf(name)) || isSlip(name, names)))
    .map(name => [
      name,
      `There is no setting ${name}.${suggestion(name, names)} \`npx dodeca help settings\` lists all of them.`,
    ])
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

function readSettings(
  env: Environment,
  table: SettingTable,
  profile: Profile,
  attempt: Attempt,
): SettingValues {
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(table)) {
    const from = variable(name)
    const usual = fallback(setting, profile)
    values[name] = attempt(from, () => read(from, env[from], setting, usual), usual)
  }
  // Rules about other times reckon with the seconds that are waited.
  if (values['kernel.drain_seconds'] === -1) {
    values['kernel.drain_seconds'] = profile === 'production' ? 5 : 0
  }
  return values as SettingValues
}

function read(name: string, given: string | undefined, setting: Setting, usual: unknown): unknown {
  if (given === undefined || given === '') return usual
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
  if (setting.url && !URL.canParse(given)) {
    throw new StartError(`${name} must be a URL such as https://example.com. ${setting.says}.`)
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
  /** Whether <NAME>_FILE may name a file with the value. */
  readonly secret: boolean
}

function valuesOf(setting: Setting): readonly string[] | null {
  if (setting.kind === 'flag') return ['true', 'false']
  return setting.kind === 'text' ? (setting.oneOf ?? null) : null
}

/** Lists every setting with its variable, default and sentence, for the command line's help. */
export function describeSettings(tables: readonly SettingTable[]): DescribedSetting[] {
  const declared = Object.entries(wholeTable(tables)).map(([name, setting]) => ({
    variable: variable(name),
    default: String(setting.default ?? '') || '(none)',
    says: setting.says,
    values: valuesOf(setting),
    secret: 'secret' in setting,
  }))
  return [...general, ...declared]
}
