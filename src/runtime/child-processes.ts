/**
 * Companions (PostgreSQL and the sandbox) live exactly as long as any platform process of one
 * DATA_DIR. A small shell, the guardian, runs each companion in its own session. The guardian reads
 * a FIFO that every platform process holds open for writing. At end-of-file the guardian stops its
 * companion. New processes join a running companion. A companion that ends by itself is started
 * again with the same command.
 */
/* oxlint-disable node/no-sync -- all of it runs before anything is served, or as the last thing */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { commandLine, type DataDir, readJson, writeJson } from './data-dir.ts'
import { codeOf, newSecret, StartError } from '#dodeca/kernel'

export type Command = {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly uid?: number
  readonly gid?: number
  readonly cwd?: string
  /** Sent one after the other. `TERM` is first, because it works before any handler is set. */
  readonly stop_signals?: readonly ('TERM' | 'INT')[]
  /** The time that the companion has to stop before it is killed. */
  readonly grace_seconds?: number
}

export type Launched = {
  /** True once the command has ended, even if it is started again. */
  ended(): boolean
  /** The output of the command since this launch. */
  output(): string
  /** Stops the command and waits until it has ended. Used when a launch has failed. */
  stop(): Promise<void>
}

export type Held<Facts> = {
  /** Facts about the companion from the process that launched it, such as its address. */
  readonly facts: Facts
  /** False for the process that started the companion. */
  readonly joined: boolean
  /** Releases the companion. The last release stops it. */
  release(): Promise<void>
}

type Files = { fifo: string; journal: string; state: string; log: string }
type State = { command: Command; facts?: unknown }
const stopping_ms_max = 150_000
const log_bytes_max = 16 * 1024 * 1024

/**
 * The script of the guardian. Its arguments are the stop signals, the seconds of grace, and the
 * command. Standard input is the FIFO. Only the outer shell keeps it open. Descriptor 3 is the
 * journal. A new process writes a text to the FIFO. The guardian copies the text to the journal
 * unless it has already read end-of-file.
 */
const guardian = `
signals=$1 grace=$2; shift 2
stop() {
  for signal in $signals; do kill -s "$signal" "$child" 2>&-; done
  [ "$killer" ] || while kill -s 0 "$child" 2>&-; do
    [ "$grace" -gt 0 ] || kill -s KILL "$child"
    sleep 1; grace=$((grace - 1))
  done & killer=$!
}
keep() {
  trap 'stopping=1; [ -z "$child" ] || stop' TERM; trap - HUP INT
  rest=1
  until [ "$stopping" ]; do
    "$@" 3>&- & child=$!
    printf 'started %s\\n' "$child" >&3
    [ -z "$stopping" ] || stop
    wait "$child"; code=$?
    [ "$stopping" ] && break
    printf 'exited %s\\n' "$code" >&3
    child= ; sleep "$rest" & wait $!
    [ "$rest" -ge 8 ] || rest=$((rest * 2))
  done
  [ -z "$child" ] || wait "$child"
}
keep "$@" </dev/null & keeper=$!
trap '' HUP INT TERM
printf 'keeper %s\\n' "$keeper" >&3
while read -r word; do printf '%s\\n' "$word" >&3; done
kill -s TERM "$keeper"; wait "$keeper"; printf 'ended\\n' >&3
`

/**
 * Joins the companion `name` of this DATA_DIR, or calls `begin` to launch it. `begin` runs in one
 * process at a time, waits until the companion is usable, and returns the facts for processes that
 * join.
 */
export async function holdCompanion<Facts>(
  data_dir: DataDir,
  name: string,
  begin: (launch: (command: Command) => Promise<Launched>) => Promise<Facts>,
): Promise<Held<Facts>> {
  const files = filesOf(data_dir, name)
  return data_dir.locked(name, async () => {
    const writer = await joinGuardian(files, name)
    if (writer !== undefined) {
      return { facts: stateOf(files)?.facts as Facts, joined: true, release: closing(writer) }
    }
    await endStrays(files, name)
    let last: { command: Command; launched: Launched; writer: number } | undefined
    try {
      const facts = await begin(async command => {
        last = { command, ...(await launch(files, command)) }
        return last.launched
      })
      if (!last) throw new Error(`${name} was begun without a launch`)
      writeJson(files.state, { command: last.command, facts } satisfies State)
      return { facts, joined: false, release: closing(last.writer) }
    } catch (error) {
      await last?.launched.stop()
      throw error
    }
  })
}

/** Returns true as soon as the companion is not running, and false after `within_ms`. */
export function companionStopped(data_dir: DataDir, name: string, within_ms: number) {
  const { fifo } = filesOf(data_dir, name)
  return until(() => !isGuarded(fifo), within_ms)
}

function filesOf(data_dir: DataDir, name: string): Files {
  const base = join(data_dir.folder('companions'), name)
  return {
    fifo: `${base}.fifo`,
    journal: `${base}.journal`,
    state: `${base}.json`,
    log: `${base}.log`,
  }
}

/** Returns the open writing end if a guardian is alive. The open end keeps the guardian alive. */
async function joinGuardian(files: Files, name: string): Promise<number | undefined> {
  const writer = openWriter(files.fifo)
  if (writer === undefined) return undefined
  const word = newSecret(9)
  const answered = () => journalOf(files).includes(word)
  try {
    fs.writeSync(writer, `${word}\n`)
    await until(() => answered() || !isGuarded(files.fifo), stopping_ms_max)
    // The launching process died before the companion was usable. The companion is started again.
    if (answered() && stateOf(files)?.facts !== undefined) return writer
  } catch (error) {
    if (codeOf(error) !== 'EPIPE') throw error
  }
  fs.closeSync(writer)
  if (await until(() => !isGuarded(files.fifo), stopping_ms_max)) return undefined
  throw new StartError(
    `The previous ${name} of ${files.fifo} does not end. Stop its processes by hand, then start again.`,
  )
}

async function launch(files: Files, command: Command) {
  fs.rmSync(files.journal, { force: true })
  writeJson(files.state, { command } satisfies State)
  const { reader, writer } = openFifo(files.fifo)
  const journal = fs.openSync(files.journal, 'a', 0o600)
  const log = openLog(files.log)
  const log_from = fs.fstatSync(log).size
  const { argv, uid, gid, stop_signals = ['TERM'], grace_seconds = 10 } = command
  const options = [files.fifo, stop_signals.join(' '), String(grace_seconds)]
  const shell = spawn('/bin/sh', ['-c', guardian, ...options, ...argv], {
    detached: true,
    cwd: command.cwd ?? '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...command.env },
    stdio: [reader, log, log, journal],
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  })
  for (const descriptor of [reader, journal, log]) fs.closeSync(descriptor)
  const letGo = closing(writer)
  await once(shell, 'spawn').catch(async (error: unknown) => {
    await letGo()
    throw new StartError(
      `No program can be started as account ${uid} (${codeOf(error)}). Start as an ordinary user.`,
    )
  })
  shell.unref()
  const launched: Launched = {
    ended: () => journalOf(files).some(line => line.startsWith('exited ')),
    output: () => fs.readFileSync(files.log).subarray(log_from).toString(),
    stop: async () => {
      await letGo()
      await until(() => !isGuarded(files.fifo), stopping_ms_max)
    },
  }
  return { launched, writer }
}

/** Opens both ends, so that opening does not block. Close-on-exec keeps it from child processes. */
function openFifo(path: string) {
  if (!fs.existsSync(path)) {
    try {
      execFileSync('mkfifo', ['-m', '600', path], { stdio: 'pipe' })
    } catch (error) {
      throw new StartError(
        `The FIFO ${path} cannot be created (${firstLine(error)}). ` +
          'Name a data folder on a local file system with DATA_DIR.',
      )
    }
  }
  const both = fs.openSync(path, fs.constants.O_RDWR)
  const reader = fs.openSync(path, fs.constants.O_RDONLY)
  const writer = fs.openSync(path, fs.constants.O_WRONLY)
  fs.closeSync(both)
  return { reader, writer }
}

function openWriter(path: string): number | undefined {
  try {
    return fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK)
  } catch (error) {
    if (codeOf(error) === 'ENXIO' || codeOf(error) === 'ENOENT') return undefined
    throw new StartError(
      `${path} cannot be opened (${codeOf(error)}). Make this account its owner, or remove it.`,
    )
  }
}

function isGuarded(fifo: string): boolean {
  const writer = openWriter(fifo)
  if (writer !== undefined) fs.closeSync(writer)
  return writer !== undefined
}

/** Ends the rest of a companion whose guardian was killed. */
async function endStrays(files: Files, name: string): Promise<void> {
  const journal = journalOf(files)
  const command = stateOf(files)?.command
  if (!command || journal.length === 0 || journal.at(-1) === 'ended') return
  const find = (what: string, text: string) => {
    const pid = Number(journal.findLast(line => line.startsWith(`${what} `))?.split(' ')[1])
    return pid && commandLine(pid).includes(text) ? [pid] : []
  }
  const keeper = () => find('keeper', files.fifo)
  const strays = () => [...keeper(), ...find('started', command.argv.join(' '))]
  const { stop_signals = ['TERM'], grace_seconds = 10 } = command
  // A living guardian stops its companion. If it is dead, the companion gets the signal directly.
  const signals = keeper().length > 0 ? (['TERM'] as const) : stop_signals
  for (const signal of signals) send(keeper().length > 0 ? keeper() : strays(), signal)
  if (await until(() => strays().length === 0, grace_seconds * 1000)) return
  send(strays(), 'KILL')
  if (await until(() => strays().length === 0, 10_000)) return
  throw new StartError(
    `A previous ${name} (pid ${strays().join(', ')}) does not end. Stop it by hand.`,
  )
}

function send(pids: readonly number[], signal: 'TERM' | 'INT' | 'KILL') {
  for (const pid of pids) {
    try {
      process.kill(pid, `SIG${signal}`)
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error
    }
  }
}

function journalOf(files: Files): string[] {
  if (!fs.existsSync(files.journal)) return []
  return fs.readFileSync(files.journal, 'utf8').trimEnd().split('\n')
}

function stateOf(files: Files): State | undefined {
  return readJson(files.state) as State | undefined
}

function openLog(path: string): number {
  const size = fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > log_bytes_max) fs.renameSync(path, `${path}.1`)
  return fs.openSync(path, 'a', 0o600)
}

function closing(descriptor: number): () => Promise<void> {
  let open = true
  return async () => {
    if (open) fs.closeSync(descriptor)
    open = false
  }
}

function firstLine(error: unknown): string {
  return (error as Error).message.trim().split('\n').at(-1) ?? codeOf(error)
}

async function until(check: () => boolean, within_ms: number): Promise<boolean> {
  for (const start = performance.now(); !check(); await pause(10)) {
    if (performance.now() - start > within_ms) return false
  }
  return true
}
