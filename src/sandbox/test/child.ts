/** The real sandbox in a process of its own, on a data folder of its own, for tests. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { endsWithFile } from '../../../test/children.ts'

export type Addresses = { mail: { smtp: string; smtp2: string; control: string } }
export type Child = { process: ChildProcess; addresses: Addresses; stderr(): string }

const entry = fileURLToPath(new URL('../main.ts', import.meta.url))

export function newDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'sandbox-test-'))
}

/** Answers once the process says that it is ready; rejects with what it wrote if it ends before. */
export async function startSandbox(data_dir: string): Promise<Child> {
  const child = endsWithFile(
    spawn(process.execPath, [entry, data_dir], { stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  let complaint = ''
  child.stderr.on('data', chunk => (complaint += String(chunk)))
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve())
    child.once('close', code => reject(new Error(`ended with ${code}: ${complaint}`)))
  })
  const addresses = JSON.parse(readFileSync(addressFile(data_dir), 'utf8')) as Addresses
  return { process: child, addresses, stderr: () => complaint }
}

export function addressFile(data_dir: string): string {
  return join(data_dir, 'sandbox', 'addresses.json')
}

/** Answers the exit code, or the signal that ended it. */
export async function end(child: Child, signal: NodeJS.Signals): Promise<number | string> {
  const ended = child.process.exitCode ?? child.process.signalCode
  if (ended !== null) return ended
  const exited = once(child.process, 'exit')
  child.process.kill(signal)
  const [code, by] = (await exited) as [number | null, string | null]
  return code ?? by ?? 'unknown'
}

export type Control = (
  method: string,
  path: string,
  body?: unknown,
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
) => Promise<{ status: number; body: any }>

export function controlOf(addresses: Addresses): Control {
  return async (method, path, body) => {
    const answer = await fetch(new URL(path, addresses.mail.control), {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text ? JSON.parse(text) : null }
  }
}

/** A real client; `patience_ms` is how long it waits for the answer after the last byte. */
export async function send(smtp: string, mail: SendMailOptions, patience_ms = 10_000) {
  const transport = createTransport(`${smtp}?socketTimeout=${patience_ms}`)
  try {
    return await transport.sendMail({ from: 'shop@example.com', ...mail })
  } finally {
    transport.close()
  }
}
