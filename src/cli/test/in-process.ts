/**
 * A command in the process of the test, which has the code loaded already: a process of its own
 * loads it for two seconds. What a process adds (signals, pipes, exit codes) is tested in
 * `cli.test.ts`.
 */
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { dodeca } from '../../cli.ts'
import type { Composition } from '../../runtime/platform-parts.ts'
import { loadConfig } from '../../settings.ts'

export type Outcome = { readonly code: number | null; readonly out: string; readonly err: string }

export type Program = {
  readonly composition?: () => Promise<Composition>
  readonly config?: typeof loadConfig
  readonly stdin?: PassThrough | undefined
  readonly stdout?: PassThrough | undefined
}

/** Runs a command of the platform, or of another composition. */
export async function runHere(
  args: readonly string[],
  env: Record<string, string>,
  { composition, config = loadConfig, stdin, stdout = new PassThrough() }: Program = {},
): Promise<Outcome> {
  const streams = { stdout, stderr: new PassThrough(), ...(stdin ? { stdin } : {}) }
  const printed = Promise.all([text(streams.stdout), text(streams.stderr)])
  const code = await dodeca(args, composition, over => config(over, env), streams)
  streams.stdout.end()
  streams.stderr.end()
  const [out, err] = await printed
  return { code, out, err }
}

export type Commands = {
  run(
    args: readonly string[],
    more?: Record<string, string>,
    stdin?: PassThrough,
    stdout?: PassThrough,
  ): Promise<Outcome>
  /** The one value that a command prints with `--json`; it has to succeed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
  json(args: readonly string[]): Promise<any>
}

/** Commands with these settings, such as those of a world that runs. */
export function commandsWith(environment: Record<string, string>): Commands {
  const run: Commands['run'] = async (args, more, stdin, stdout) => {
    const given = { stdin, stdout }
    const { code, out, err } = await runHere(args, { ...environment, ...more }, given)
    return { code, out, err: err.trimEnd() }
  }
  return {
    run,
    json: async args => {
      const { code, out, err } = await run([...args, '--json'])
      expect([code, err]).toEqual([0, ''])
      return JSON.parse(out)
    },
  }
}
