/** All comparisons, one after the other, with the options that this one was given. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const names = [
  'http',
  'read-by-id',
  'keyed-write',
  'standby',
  'replay',
  'event-latency',
  'events',
  'backlog',
  'idle',
  'overload',
  'cold-start',
  'console',
  'lists',
  'request-log',
  'identity',
  'jobs',
  'links',
  'uploads',
  'notifications',
  'webhooks',
  'payments',
  'commerce',
  'social',
  'chat',
  'inference',
  'mcp',
  'retrieval',
  'nodes',
]

for (const name of names) {
  const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [script, ...process.argv.slice(2)], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) {
    process.stderr.write(`\n${name} failed.\n`)
    process.exitCode = 1
  }
}
