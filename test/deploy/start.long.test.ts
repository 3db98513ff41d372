/**
 * Each file of deploy/ starts the platform: the processes that it describes, with the variables that it
 * ships with, keys from `dodeca keys init`, and an empty database. Only what names another machine is
 * replaced by this one: the database, NATS, the data folder and the port.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { newId } from '#dodeca/kernel'
import { endsWithFile } from '../children.ts'
import { freePort } from '../free-port.ts'
import { inherited } from '../process.ts'
import { eventually } from '../world.ts'
import { deployments, newKeys, root, type Environment } from './variables.ts'

const nats_server = '/usr/sbin/nats-server'
let scratch: string
let nats_url: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'dodeca-deployed-'))
  const port = await freePort()
  nats_url = `nats://127.0.0.1:${port}`
  if (!existsSync(nats_server)) return
  const storage = ['--jetstream', '--store_dir', join(scratch, 'nats')]
  endsWithFile(spawn(nats_server, ['-a', '127.0.0.1', '-p', String(port), ...storage]))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

// The backup runs with the same variables: `one-machine.long.test.ts` makes one.
const started = deployments.filter(one => !one.file.includes('backup'))

test.skipIf(!existsSync(nats_server)).each(started)(
  '$file starts on an empty database',
  async ({ processes }) => {
    const database = await emptyDatabase()
    const given = await processes(await newKeys())
    const running = await Promise.all(given.map(one => startWith(one, database.url)))
    for (const one of running) await one.ready()
    for (const one of running) expect(await one.stop()).toBe(0)
    await database.drop()
  },
  240_000,
)

async function startWith(environment: Environment, database_url: string) {
  const port = await freePort()
  const here = {
    ...environment,
    DATABASE_URL: database_url,
    ...(environment['KERNEL_DATABASE_DIRECT_URL']
      ? { KERNEL_DATABASE_DIRECT_URL: database_url }
      : {}),
    ...(environment['KERNEL_NATS_URL'] ? { KERNEL_NATS_URL: nats_url } : {}),
    DATA_DIR: await mkdtemp(join(scratch, 'data-')),
    HOST: '127.0.0.1',
    PORT: String(port),
    LOG_LEVEL: 'warn',
  }
  const program = [join(root, 'src/main.mjs')]
  const child = endsWithFile(
    spawn(process.execPath, program, { cwd: scratch, env: { ...inherited, ...here } }),
  )
  let output = ''
  child.stdout.on('data', part => (output += String(part)))
  child.stderr.on('data', part => (output += String(part)))
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  return {
    ready: () =>
      eventually(
        'the platform is ready',
        async () => {
          if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${output}`)
          const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
          return answer?.status === 200
        },
        150_000,
      ),
    stop: async () => {
      child.kill('SIGTERM')
      return await ended
    },
  }
}

async function emptyDatabase() {
  const admin_url = inject('admin_url')
  const name = `dodeca_deployed_${newId().replaceAll('-', '')}`
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: admin_url })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await run(`create database ${name}`)
  const url = new URL(admin_url)
  url.pathname = `/${name}`
  return { url: url.toString(), drop: () => run(`drop database ${name} with (force)`) }
}
