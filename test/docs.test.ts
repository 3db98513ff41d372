/**
 * What the documents tell a reader to type works: all `sh` blocks of a page run in one shell, in order,
 * against a platform that runs as it does after `npm start`; the first command that fails is named.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { openProductWorld } from './product-world.ts'

const run = promisify(execFile)
// Addresses that the platform gives out lead back to it, as they do for a reader.
const port = await freePort()
/** Where the receiver of the page on webhooks listens. */
const receiver_port = await freePort()
const world = await openProductWorld({
  KERNEL_SANDBOX: 'true',
  IDENTITY_EMAIL_SCOPE: 'global',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  WEBHOOKS_ALLOWED_PRIVATE_CIDRS: `127.0.0.1:${receiver_port}`,
  WEBHOOKS_ALLOWED_PORTS: `443,8443,${receiver_port}`,
})
afterAll(() => world.close())

/** Pages whose every command can run as it stands. */
const pages = [
  'chat.md',
  'commerce.md',
  'identity.md',
  'inference.md',
  'jobs.md',
  'links.md',
  'notifications.md',
  'operation.md',
  'payments.md',
  'requests.md',
  'retrieval.md',
  'social.md',
  'uploads.md',
  'webhooks.md',
]

const folder = resolve(import.meta.dirname, '../docs')

// A page starts a program for each value that it reads: a minute on a busy machine.
test.for(pages)('the commands of docs/%s', { timeout: 120_000 }, async page => {
  const text = await readFile(join(folder, page), 'utf8')
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  expect(blocks).not.toEqual([])
  const script = ['set -euo pipefail', ...blocks]
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', world.url)
    .replaceAll(/\b9000\b/g, String(receiver_port))
  const reader = await mkdtemp(join(tmpdir(), 'dodeca-docs-'))
  const [cwd, TMPDIR] = [join(reader, 'checkout'), join(reader, 'temporary')]
  for (const one of [cwd, TMPDIR]) await mkdir(one)
  // A reader is where the platform was started, so its data folder is there.
  await symlink(world.data_dir, join(cwd, 'data'))
  try {
    const PATH = `${await commandsIn(reader)}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
    const env = { ...world.environment, PATH, TMPDIR }
    // `-x` prints each command, so that a failure shows how far the page went.
    await run('bash', ['-xc', script], { cwd, env, timeout: 110_000 })
    // Tokens and answers would be committed by accident.
    expect(await readdir(cwd)).toEqual(['data'])
  } finally {
    await rm(reader, { recursive: true, force: true })
  }
})

/** A folder with `npx`, which runs the command of this checkout. */
async function commandsIn(reader: string): Promise<string> {
  const bin = join(reader, 'bin')
  await mkdir(bin)
  const program = resolve(import.meta.dirname, 'docs-command.ts')
  await writeFile(join(bin, 'npx'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  await chmod(join(bin, 'npx'), 0o755)
  return bin
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It listens on a port and not on a pipe.
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}
