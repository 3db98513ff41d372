/**
 * The layout of DATA_DIR, its small JSON files, and the lock for changes that affect all processes.
 * A JSON file is replaced by rename, so a reader sees the old text or the new one, never half of
 * it. If the holder of the lock is dead, the next process that needs the lock takes it over.
 */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { codeOf, newSecret, StartError } from '#dodeca/kernel'

export type DataFolder = 'objects' | 'retrieval' | 'spool' | 'sandbox' | 'companions'
export type DataFile = 'keys.json' | 'admin.json' | 'runtime.json'

export type DataDir = {
  /**
   * The absolute path with all links resolved, so that two spellings of one folder are one
   * DATA_DIR.
   */
  readonly path: string
  /** The database's folder, or a link to that folder. Only `openPostgres` creates it. */
  readonly postgres: string
  /** A folder of this DATA_DIR. It is created on first use, for this account only. */
  folder(name: DataFolder): string
  file(name: DataFile): string
  /**
   * Runs one call at a time among all processes of this DATA_DIR. The lock of a dead holder is
   * taken over.
   */
  locked<T>(name: string, work: () => Promise<T>): Promise<T>
}

export function openDataDir(path: string): DataDir {
  const root = usableFolder(resolve(path))
  return {
    path: root,
    postgres: join(root, 'postgres'),
    folder: name => privateFolder(join(root, name)),
    file: name => join(root, name),
    locked: (name, work) => withLock(join(root, `.${name}.lock`), work),
  }
}

/**
 * Returns undefined if the file does not exist. If the JSON is invalid, it throws an error that the
 * operator must correct.
 */
export function readJson(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new StartError(
      `${path} cannot be read (${codeOf(error)}). Make it readable for this account.`,
    )
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new StartError(`${path} is not valid JSON. Restore it from a backup, or move it away.`)
  }
}

export function writeJson(path: string, value: unknown): void {
  replaceFile(path, `${JSON.stringify(value, null, 2)}\n`)
}

/** Replaces the file, or makes it, for this account only. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.${newSecret(6)}`
  // `wx` refuses an existing file, so the mode is always the 0600 given here.
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
  renameSync(draft, path)
}

function usableFolder(path: string): string {
  try {
    // As root, PostgreSQL runs under another account that must be able to pass through this folder.
    // The files in it are still 0600 and the folders 0700.
    const mode = process.geteuid?.() === 0 ? 0o711 : 0o700
    if (makeFolder(path, mode)) chmodSync(path, mode)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    if (!statSync(path).isDirectory())
      throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' })
    return realpathSync(path)
  } catch (error) {
    throw new StartError(
      `The data folder ${path} cannot be written to (${codeOf(error)}). ` +
        'Make it writable for this account, or name another one with DATA_DIR.',
    )
  }
}

/**
 * One level at a time: the recursive mkdir never ends on a file system that cannot create folders
 * (/proc).
 */
function makeFolder(path: string, mode: number): boolean {
  if (existsSync(path)) return false
  if (!existsSync(dirname(path))) makeFolder(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
    return true
  } catch (error) {
    // Another process that starts at the same moment has created it.
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

function privateFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return path
}

/**
 * The lock is a symbolic link. The text of the link identifies the holder, so one step creates the
 * lock with its content. A dead holder's link is removed only under a second lock, and only if it
 * still belongs to that holder. So a slow process never removes the lock of a living holder.
 */
async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const me = `${identityOf(process.pid)}.${newSecret(9)}`
  for (;;) {
    try {
      symlinkSync(me, path)
      break
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    const holder = holderOf(path)
    if (holder && !isAlive(holder)) {
      await withLock(`${path}.${holder}`, async () => {
        if (holderOf(path) === holder) unlinkSync(path)
      })
    } else {
      await pause(10)
    }
  }
  try {
    return await work()
  } finally {
    if (holderOf(path) === me) unlinkSync(path)
  }
}

function holderOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

function isAlive(holder: string): boolean {
  const [pid, born] = holder.split('.')
  const [, now] = identityOf(Number(pid)).split('.')
  if (now === 'gone') return false
  // If the start time cannot be read, any process with that pid counts as the holder.
  return now === born || now === 'alive' || born === 'alive'
}

/** The pid and the start time, so that a reused pid is a different process. */
function identityOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return `${pid}.${fields[0] === 'Z' ? 'gone' : fields[19]}`
  } catch {
    return `${pid}.${runs(pid) ? 'alive' : 'gone'}`
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** The process's arguments joined with spaces, or nothing if there is no such process. */
export function commandLine(pid: number): string {
  try {
    if (existsSync('/proc/self/cmdline')) {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    }
    const columns = ['-ww', '-o', 'command=', '-p', String(pid)]
    return execFileSync('ps', columns, { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return ''
  }
}
