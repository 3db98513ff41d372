/**
 * What the documents tell a reader to type works: all `sh` blocks of a page run in one shell, in order,
 * against a platform that runs as it does after `npm start`; the first command that fails is named.
 * A block of `json` or `text` right after such a block is its answer, and is compared.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { freePort } from './free-port.ts'
import { as_documented, openProductWorld } from './product-world.ts'

const run = promisify(execFile)
// Addresses that the platform gives out lead back to it, as they do for a reader.
const port = await freePort()
/** Where the receiver of the page on webhooks listens. */
const receiver_port = await freePort()
const world = await openProductWorld({
  ...as_documented,
  KERNEL_SANDBOX: 'true',
  // A busy machine opens an index slowly.
  RETRIEVAL_SEARCH_SECONDS: '100',
  IDENTITY_EMAIL_SCOPE: 'global',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  WEBHOOKS_ALLOWED_PRIVATE_CIDRS: `127.0.0.1:${receiver_port}`,
  WEBHOOKS_ALLOWED_PORTS: `443,8443,${receiver_port}`,
})
afterAll(() => world.close())

/** Pages whose every command can run as it stands. */
const pages = [
  'README.md',
  'docs/budgets.md',
  'docs/chat.md',
  'docs/commerce.md',
  'docs/events.md',
  'docs/getting-started.md',
  'docs/guides/ask-your-pdfs.md',
  'docs/guides/chat-in-a-page.md',
  'docs/guides/chat-room.md',
  'docs/guides/inbox.md',
  'docs/guides/log-in.md',
  'docs/guides/receive-webhooks.md',
  'docs/guides/rules.md',
  'docs/guides/shop.md',
  'docs/guides/take-a-payment.md',
  'docs/guides/upload-a-file.md',
  'docs/guides/worker-in-python.md',
  'docs/identity.md',
  'docs/inference.md',
  'docs/model-providers.md',
  'docs/jobs.md',
  'docs/links.md',
  'docs/login-for-your-apps.md',
  'docs/mcp.md',
  'docs/notifications.md',
  'docs/operation.md',
  'docs/organizations.md',
  'docs/payments.md',
  'docs/python.md',
  'docs/requests.md',
  'docs/retrieval.md',
  'docs/sdks.md',
  'docs/social.md',
  'docs/tools.md',
  'docs/uploads.md',
  'docs/webhooks.md',
  'docs/your-application.md',
]

const root = resolve(import.meta.dirname, '..')

// A page starts a program for each value that it reads: minutes on a busy machine.
test.for(pages)('the commands of %s', { timeout: 300_000 }, async page => {
  const text = (await readFile(join(root, page), 'utf8'))
    .replaceAll(/http:\/\/(127\.0\.0\.1|localhost):8080/g, world.url)
    .replaceAll(/\b9000\b/g, String(receiver_port))
  const blocks = blocksOf(text)
  expect(blocks).not.toEqual([])
  const script = ['set -euo pipefail', ...blocks.map(({ commands }) => commands)].join(
    `\nprintf '\\n${end_of_block}\\n'\n`,
  )
  const reader = await mkdtemp(join(tmpdir(), 'dodeca-docs-'))
  const [cwd, TMPDIR] = [join(reader, 'checkout'), join(reader, 'temporary')]
  for (const one of [cwd, TMPDIR]) await mkdir(one)
  // A reader is where the platform was started, so its data folder is there, and the examples.
  await symlink(world.data_dir, join(cwd, 'data'))
  await symlink(join(root, 'examples'), join(cwd, 'examples'))
  try {
    const PATH = `${await commandsIn(reader)}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
    // Without it each command would compile the whole platform again.
    const NODE_COMPILE_CACHE = process.env['NODE_COMPILE_CACHE'] ?? ''
    const env = { ...world.environment, PATH, TMPDIR, NODE_COMPILE_CACHE }
    // `-x` prints each command, so that a failure shows how far the page went.
    const { stdout } = await run('bash', ['-xc', script], { cwd, env, timeout: 280_000 })
    const printed = stdout.split(`\n${end_of_block}\n`).slice(1)
    blocks.forEach(({ answer }, at) => {
      if (answer !== null) expectAnswer(printed[at] ?? '', answer)
    })
    // Tokens and answers would be committed by accident.
    expect((await readdir(cwd)).toSorted()).toEqual(['data', 'examples'])
  } finally {
    await rm(reader, { recursive: true, force: true })
  }
})

const end_of_block = '-- next block --'

type Block = {
  readonly commands: string
  readonly answer: { readonly kind: string; readonly text: string } | null
}

function blocksOf(page: string): Block[] {
  const fenced = /^```sh(?: tabs)?\n([\s\S]*?)^```$(?:\s*^```(json|text)\n([\s\S]*?)^```$)?/gm
  return [...page.matchAll(fenced)].map(([, commands = '', kind, text = '']) => ({
    commands,
    answer: kind === undefined ? null : { kind, text },
  }))
}

/** JSON shows the members that matter, text all of its lines; `…` stands for what differs each time. */
function expectAnswer(printed: string, { kind, text }: NonNullable<Block['answer']>): void {
  const found: unknown = kind === 'text' ? printed.trim() : JSON.parse(printed)
  const wanted = kind === 'text' ? shapeOf(text.trim()) : expected(JSON.parse(text))
  expect({ answer: found }).toMatchObject({ answer: wanted })
}

function shapeOf(text: string): unknown {
  const literal = text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return expect.stringMatching(new RegExp(`^${literal.replaceAll('…', '[^]*?')}$`))
}

function expected(value: unknown): unknown {
  if (value === '…') return expect.anything()
  if (Array.isArray(value)) return value.map(expected)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, expected(one)]))
}

/** A folder with `npx`, which runs the command of this checkout. */
async function commandsIn(reader: string): Promise<string> {
  const bin = join(reader, 'bin')
  await mkdir(bin)
  const program = resolve(import.meta.dirname, 'docs-command.mjs')
  await writeFile(join(bin, 'npx'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  await chmod(join(bin, 'npx'), 0o755)
  return bin
}
