/** Reads the variables that are not settings of a surface, and refuses values that cannot work. */
/* oxlint-disable node/no-sync -- small files, once, before anything is served */
import { readFileSync, statSync } from 'node:fs'
import { codeOf, isLoopback, StartError } from '#dodeca/kernel'

export type Environment = Readonly<Record<string, string | undefined>>

export function databaseUrl(env: Environment): string | null {
  const url = env['DATABASE_URL']
  if (!url || url === 'embedded') return null
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new StartError(
      'DATABASE_URL must look like postgres://user:password@host:5432/database. Use the word embedded for the PostgreSQL of the data folder.',
    )
  }
  return url
}

const secret_bytes_max = 64 * 1024

/**
 * The content of the file that <NAME>_FILE names, without its last newline. No sentence has the
 * path, because the secret itself may have been written in its place.
 */
export function secretFrom(env: Environment, name: string): string {
  const file = `${name}_FILE`
  if (env[name]) throw new StartError(`${name} and ${file} are both set. Unset one of them.`)
  const bytes = readSmallFile(env[file] ?? '', file)
  const text = bytes.toString('utf8').replace(/\r?\n$/, '')
  if (text === '' || text.includes('\0') || !Buffer.from(bytes.toString('utf8')).equals(bytes)) {
    throw new StartError(`${file} must name a file with the secret as text. This one has none.`)
  }
  return text
}

function readSmallFile(path: string, variable: string): Buffer {
  let fault = 'which is not a regular file'
  try {
    // A pipe or a device might never end.
    const found = statSync(path)
    if (found.isFile() && found.size <= secret_bytes_max) return readFileSync(path)
    if (found.isFile()) fault = 'which is larger than 64 KiB'
  } catch (error) {
    fault = `which cannot be read (${codeOf(error)})`
  }
  throw new StartError(
    `${variable} names something ${fault}. Name a readable file with the secret.`,
  )
}

export function publicUrl(env: Environment, host: string, port: number): string {
  const given = env['PUBLIC_URL']
  // A browser uses passkeys on a name, and not on a number.
  if (!given && isLoopback(host)) return `http://localhost:${port}`
  if (!given) return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (!/^https?:\/\//.test(given) || !URL.canParse(given)) {
    throw new StartError(
      'PUBLIC_URL must be an http or https URL, such as https://api.example.com.',
    )
  }
  return given.replace(/\/+$/, '')
}

export function roles(env: Environment): ('api' | 'worker')[] {
  const given = (env['ROLES'] || 'api,worker').split(',').map(one => one.trim())
  const known = given.filter(one => one === 'api' || one === 'worker')
  if (known.length !== given.length)
    throw new StartError('ROLES must be api, worker, or api,worker.')
  return known
}

export function choice<const T extends readonly string[]>(
  env: Environment,
  name: string,
  options: T,
  otherwise: T[number],
): T[number] {
  const given = env[name] || otherwise
  if (!options.includes(given))
    throw new StartError(`${name} must be one of ${options.join(', ')}.`)
  return given
}

export function integer(
  env: Environment,
  name: string,
  otherwise: number,
  min: number,
  max: number,
): number {
  const given = env[name]
  if (!given) return otherwise
  const value = Number(given)
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new StartError(`${name} must be a whole number from ${min} to ${max}.`)
  }
  return value
}
