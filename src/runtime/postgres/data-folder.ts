/**
 * The data folder of the embedded PostgreSQL: its place, its creation, and the check that we may
 * open it. A new folder gets a temporary name until its role, database and password exist and all
 * files are synchronized to the disk. Only then is it renamed. So a folder with the final name is
 * always complete.
 */
/* oxlint-disable node/no-sync -- all of it runs before anything is served, or as the last thing */
import { type ExecFileOptions, execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import type { DataDir } from '../data-dir.ts'
import { newSecret, StartError } from '#dodeca/kernel'
import { type Account, type Binaries, mayUse, systemFolder } from './embedded-binaries.ts'

/**
 * Every connection needs the password, on the socket too. The superuser has no password and cannot
 * connect.
 */
const access_rules = 'local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n'
const password_file = 'dodeca.password'

/**
 * The platform's role owns its database and may create others (tests clone them), but is not a
 * superuser. So everything that works here also works on a managed PostgreSQL. One round of SCRAM
 * is enough for a random password of 192 bits, and saves about 5 ms on each new connection.
 * Databases that are created later inherit the grants in template1. An online backup needs these
 * grants.
 */
const setup = (password: string) => `
set scram_iterations = 1
create role dodeca login createdb password '${password}'
grant pg_monitor, pg_signal_backend, pg_checkpoint to dodeca
grant execute on function pg_backup_start(text, boolean) to dodeca
grant execute on function pg_backup_stop(boolean) to dodeca
grant execute on function pg_switch_wal() to dodeca
create database dodeca owner dodeca
`

/** Returns the real folder of the database. Creates a database if there is none yet. */
export async function openCluster(
  data_dir: DataDir,
  binaries: Binaries,
  account: Account | undefined,
  system_dir: string,
  progress: (line: string) => void,
): Promise<string> {
  const link = data_dir.postgres
  if (fs.lstatSync(link, { throwIfNoEntry: false })) {
    const found = existingCluster(link, binaries, account)
    if (found) return found
  }
  progress('Creating the database (only the first time) …')
  if (!account || mayUse(account, data_dir.path) || letPass(account, data_dir.path)) {
    await makeCluster(link, binaries, account)
    return link
  }
  const real = join(freeSystemFolder(system_dir, data_dir.path, progress), 'postgres')
  await makeCluster(real, binaries, account)
  fs.rmSync(link, { force: true, recursive: true })
  fs.symlinkSync(real, link)
  return real
}

/**
 * If only the data folder itself is closed, the account gets permission to pass through it, but not
 * to list its content. The database is then inside the data folder and moves with it.
 */
function letPass(account: Account, path: string): boolean {
  const { mode, uid, gid } = fs.statSync(path)
  if (uid !== process.getuid?.() || !mayUse(account, dirname(path))) return false
  fs.chownSync(path, uid, account.gid)
  fs.chmodSync(path, (mode & 0o7707) | 0o010)
  if (mayUse(account, path)) return true
  fs.chownSync(path, uid, gid)
  fs.chmodSync(path, mode & 0o7777)
  return false
}

export function passwordOf(cluster: string): string {
  return fs.readFileSync(join(cluster, password_file), 'utf8').trim()
}

/**
 * Returns undefined for an empty folder. The caller then replaces it. Any other folder that is not
 * our database stops the start.
 */
function existingCluster(link: string, { major }: Binaries, account: Account | undefined) {
  if (!fs.existsSync(link)) {
    throw new StartError(
      `The database's folder ${fs.readlinkSync(link)} is missing. Bring it back, ` +
        `or remove the link ${link} to begin with an empty database.`,
    )
  }
  const real = fs.realpathSync(link)
  if (fs.readdirSync(real).length === 0) return undefined
  const version_file = join(real, 'PG_VERSION')
  const made_by = fs.existsSync(version_file) ? fs.readFileSync(version_file, 'utf8').trim() : ''
  if (made_by === '' || !fs.existsSync(join(real, password_file))) {
    throw new StartError(
      `${real} contains files, but no database of this platform. Move them away, then start again.`,
    )
  }
  if (made_by !== String(major)) {
    throw new StartError(
      `The database in ${real} was made by PostgreSQL ${made_by}, and this platform contains ` +
        `PostgreSQL ${major}. Upgrade it with pg_upgrade (or dump it with the previous version and ` +
        'restore it here), or move it away to begin with an empty database.',
    )
  }
  if (account && !mayUse(account, real)) {
    throw new StartError(
      `PostgreSQL runs under the account ${account.uid}, which has no access to ${real}. ` +
        'Let it pass through the folders above (chmod o+x), or start as the owner of the data.',
    )
  }
  return real
}

async function makeCluster(path: string, { bin_dir }: Binaries, account: Account | undefined) {
  const draft = `${path}.new`
  const run = (program: string, args: string[], input = '') =>
    output(join(bin_dir, program), args, { cwd: '/', env: { LC_ALL: 'C' }, ...account }, input)
  fs.rmSync(draft, { recursive: true, force: true })
  fs.mkdirSync(draft, { mode: 0o700 })
  if (account) fs.chownSync(draft, account.uid, account.gid)
  const collation = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const login = ['-U', 'postgres', '--auth=trust']
  const initdb = (ctype: string) =>
    run('initdb', [
      ...login,
      ...collation,
      '--locale=C',
      `--lc-ctype=${ctype}`,
      '--data-checksums',
      '--no-sync',
      '-D',
      draft,
    ])
  // The builtin locale sorts and folds case the same on every machine. The ctype is only for the
  // text-search parser, and some systems do not have C.UTF-8.
  await initdb('C.UTF-8').catch(() => initdb('C'))
  const password = newSecret(24)
  const single = ['--single', '-F', '-D', draft, 'template1']
  const answer = await run('postgres', single, setup(password).trimStart())
  if (/ERROR|FATAL|PANIC/.test(answer)) throw failed('postgres --single', answer)
  write(join(draft, 'pg_hba.conf'), access_rules, account)
  write(join(draft, password_file), `${password}\n`, account)
  await run('initdb', ['--sync-only', '-D', draft])
  fs.rmSync(path, { recursive: true, force: true })
  fs.renameSync(draft, path)
  const parent = fs.openSync(dirname(path), 'r')
  fs.fsyncSync(parent)
  fs.closeSync(parent)
}

function write(path: string, text: string, account: Account | undefined): void {
  fs.writeFileSync(path, text, { mode: 0o600 })
  if (account) fs.chownSync(path, account.uid, account.gid)
}

/**
 * A folder that only this DATA_DIR uses. Its name is made from the path of the DATA_DIR. If that
 * name exists, a number is added, because the existing folder may be the database of a DATA_DIR
 * that was moved.
 */
function freeSystemFolder(system_dir: string, path: string, progress: (line: string) => void) {
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 16)
  const base = join(systemFolder(system_dir), hash)
  let free = base
  for (let number = 2; fs.existsSync(join(free, 'postgres')); number++) {
    progress(`A previous database of this folder is in ${free}; delete it if nothing uses it.`)
    free = `${base}-${number}`
  }
  return systemFolder(free)
}

function output(file: string, args: string[], options: ExecFileOptions, input: string) {
  return new Promise<string>((resolve, reject) => {
    const child = execFile(file, args, { ...options, encoding: 'utf8' }, (error, out, err) => {
      if (error) reject(failed(file, `${err}\n${error.message}`))
      else resolve(`${out}${err}`)
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}

function failed(program: string, text: string): StartError {
  const lines = text.split('\n')
  const reason = lines.find(line => /error|FATAL|PANIC|EPERM|ENOENT/i.test(line)) ?? lines[0]
  return new StartError(
    `The embedded PostgreSQL cannot be set up: ${program} says "${reason?.trim()}". ` +
      'Correct that, or name another PostgreSQL with DATABASE_URL.',
  )
}
