/** An application in a folder of its own, run by the command `dodeca` of a checkout or a package. */
import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { endsWithFile } from './children.ts'

const administrator = { email: 'admin@example.test', password: 'correct horse battery staple' }

export type Ended = { readonly code: number; readonly output: string }

export type Command = {
  run(cwd: string, words: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended>
  start(cwd: string, env: Readonly<Record<string, string>>): Promise<Started>
}
export type Started = {
  readonly url: string
  readonly administrator: typeof administrator
  stop(): Promise<unknown>
}

export function commandOf(bin: string): Command {
  return {
    run: (cwd, words, env = {}) =>
      new Promise(done => {
        execFile(
          process.execPath,
          [bin, ...words],
          { cwd, env: { ...process.env, ...env } },
          (error, stdout, stderr) => {
            done({ code: Number(error?.code ?? 0), output: stdout + stderr })
          },
        )
      }),
    start: async (cwd, env) => {
      const child = endsWithFile(
        spawn(process.execPath, [bin, 'start', '--json'], {
          cwd,
          env: {
            PATH: process.env['PATH'] ?? '',
            PORT: '0',
            LOG_LEVEL: 'silent',
            ADMIN_EMAIL: administrator.email,
            ADMIN_PASSWORD: administrator.password,
            ...env,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      )
      let output = ''
      child.stderr.on('data', part => (output += String(part)))
      const gone = new Promise<undefined>(done => child.once('exit', () => done(undefined)))
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
      const first = await Promise.race([lines.next(), gone])
      if (typeof first?.value !== 'string') throw new Error(`it did not start: ${output}`)
      return {
        url: `http://127.0.0.1:${(JSON.parse(first.value) as { port: number }).port}`,
        administrator,
        stop: () => {
          child.kill('SIGTERM')
          return gone
        },
      }
    },
  }
}
