/**
 * One process of a checkout installs its packages or joins its sources, the others wait. A holder
 * that was killed is recognized by its pid and start time.
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'

export const pause = ms => new Promise(resolve => setTimeout(resolve, ms))

/** One process does the work, the others wait until it is done. */
export async function underLock(root, doing, isDone, work, say) {
  const folder = join(root, '.installing')
  const holder = join(folder, 'holder')
  let waiting = false
  for (;;) {
    writable(() => fs.mkdirSync(folder, { recursive: true }))
    if (tryLock(holder)) break
    if (!waiting) say(`Another process is ${doing}; waiting for it … `)
    waiting = true
    await pause(100)
    if (isDone()) return
  }
  try {
    if (!isDone()) await work(folder)
  } finally {
    fs.rmSync(holder, { force: true })
    try {
      fs.rmdirSync(folder)
    } catch {
      // Another process has put its own lock there.
    }
  }
}

/**
 * The lock is a symbolic link whose text names its holder, created in one step. A dead holder's
 * lock is removed only under a lock for that removal, and only if it is still that holder's.
 */
function tryLock(path) {
  const me = `${identityOf(process.pid)}.${randomBytes(6).toString('hex')}`
  if (writable(() => fs.symlinkSync(me, path))) return true
  const holder = linkText(path)
  if (holder !== undefined && !isAlive(holder)) {
    const removal = `${path}.${holder}`
    if (!tryLock(removal)) return false
    if (linkText(path) === holder) fs.unlinkSync(path)
    fs.unlinkSync(removal)
  }
  return false
}

/**
 * False if another process was faster; any other error is reported to the person at the terminal.
 */
function writable(make) {
  try {
    make()
    return true
  } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false
    throw new Error(`Nothing can be installed here (${error.message}). Make the folder writable.`, {
      cause: error,
    })
  }
}

export function linkText(path) {
  try {
    return fs.readlinkSync(path)
  } catch {
    return undefined
  }
}

export function isAlive(identity) {
  const [pid, born] = identity.split('.')
  const [, now] = identityOf(Number(pid)).split('.')
  if (now === 'gone') return false
  return now === born || now === 'alive' || born === 'alive'
}

/** The pid with the start time, so that a reused pid is a different process. */
export function identityOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return `${pid}.${fields[0] === 'Z' ? 'gone' : fields[19]}`
  } catch {
    try {
      process.kill(pid, 0)
      return `${pid}.alive`
    } catch (error) {
      return `${pid}.${error.code === 'EPERM' ? 'alive' : 'gone'}`
    }
  }
}
