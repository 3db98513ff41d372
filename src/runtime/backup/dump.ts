/**
 * Copies a database at DATABASE_URL as one archive. The copy uses the machine's pg_dump and
 * pg_restore, because they must be as new as the server. They get the password through a file that
 * only they can read, so the password never appears in the list of processes.
 */
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { codeOf, newSecret, StartError } from '#dodeca/kernel'

export const dump_file = 'database.dump'

/** False if there is no pg_dump on the PATH. */
export async function dumpDatabase(url: string, to: string): Promise<boolean> {
  return await withAddress(url, to, address =>
    run('pg_dump', ['--format=custom', '--no-owner', '--no-privileges', '--file', to, address]),
  )
}

/**
 * Restores into a database without tables of the platform. It restores the whole archive or
 * nothing.
 */
export async function restoreDump(url: string, from: string): Promise<void> {
  const options = ['--no-owner', '--no-privileges', '--exit-on-error', '--single-transaction']
  const ran = await withAddress(url, from, address =>
    run('pg_restore', [...options, `--dbname=${address}`, from]),
  )
  if (ran) return
  throw new StartError(
    'The backup contains a dump of the database, and there is no pg_restore on the PATH. Install the ' +
      'PostgreSQL client programs, at least as new as the server.',
  )
}

async function withAddress<T>(
  url: string,
  beside: string,
  use: (address: string) => Promise<T>,
): Promise<T> {
  const address = new URL(url)
  if (address.password === '') return await use(url)
  const password = decodeURIComponent(address.password).replaceAll(/[\\:]/g, '\\$&')
  const passfile = `${beside}.${newSecret(6)}`
  await writeFile(passfile, `*:*:*:*:${password}\n`, { mode: 0o600, flag: 'wx' })
  try {
    address.password = ''
    address.searchParams.set('passfile', passfile)
    return await use(address.toString())
  } finally {
    await rm(passfile)
  }
}

/** False if the machine has no such program. */
function run(program: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { encoding: 'utf8' }, (error, _out, complaints) => {
      if (!error) return resolve(true)
      if (codeOf(error) === 'ENOENT') return resolve(false)
      const lines = complaints.trim().split('\n')
      const reason = lines.find(line => /error|fatal/i.test(line)) ?? lines[0] ?? error.message
      reject(
        new StartError(
          `The database could not be copied: ${reason.trim()}. Correct that and repeat.`,
        ),
      )
    })
  })
}
