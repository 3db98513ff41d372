/** A platform in a process of its own: started, killed, or led to a fault point at which it dies. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'

export type Gone = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export type PlatformProcess = {
  readonly url: string
  readonly child: ChildProcess
  /** What it has written so far. */
  output(): string
  /** Resolves when it is gone; answers how. */
  readonly gone: Promise<Gone>
  kill(signal?: NodeJS.Signals): Promise<Gone>
}

const patience_ms = 40_000

/** It ended before it was ready: a fault point may lie on the way of its start. */
class EndedAtStart extends Error {
  readonly signal: NodeJS.Signals | null
  constructor(message: string, signal: NodeJS.Signals | null) {
    super(message)
    this.signal = signal
  }
}

/** Resolves once it prints `ready` and its port. Its output must be piped. */
export async function readyProcess(child: ChildProcess): Promise<PlatformProcess> {
  let output = ''
  child.stderr?.on('data', part => (output += String(part)))
  const gone = once(child, 'exit').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }))
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', part => {
      output += String(part)
      const ready = /ready (\d+)/.exec(output)?.[1]
      if (ready) resolve(ready)
    })
    void gone.then(({ code, signal }) => {
      reject(new EndedAtStart(`the platform ended with ${code ?? signal}: ${output}`, signal))
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    child,
    output: () => output,
    gone,
    kill: signal => {
      child.kill(signal ?? 'SIGKILL')
      return gone
    },
  }
}

/** Starts a process that has a fault at `point`, runs `act` against it, and waits until it is killed. */
export async function untilKilled(
  start: () => Promise<PlatformProcess>,
  point: string,
  act: (url: string) => Promise<unknown>,
): Promise<void> {
  try {
    const victim = await start()
    // Whether the caller got an answer depends on the point; that the process died there does not.
    const answer = await act(victim.url).catch((error: unknown) => error)
    const end = await Promise.race([victim.gone, after(patience_ms, undefined, { ref: false })])
    if (!end) {
      await victim.kill()
      throw new Error(`${point} was not passed; the answer was ${said(answer)}`)
    }
    if (end.signal !== 'SIGKILL') {
      throw new Error(`the platform was not killed: ${end.code ?? end.signal}: ${victim.output()}`)
    }
  } catch (error) {
    // Work that was left over from before may lead it to the point while it starts.
    if (!(error instanceof EndedAtStart) || error.signal !== 'SIGKILL') throw error
  }
}

function said(answer: unknown): string {
  const { status, text } = (answer ?? {}) as { status?: number; text?: string }
  return status === undefined ? String(answer) : `${status} ${text}`
}
