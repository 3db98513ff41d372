/** Tries each port from which the database could be controlled, as somebody who reaches it. */
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import type { Database } from './database.ts'
import type { DatabaseHost } from './database-host.ts'
import type { Network } from './network.ts'

type Tried = {
  readonly method?: string
  readonly user?: string
  readonly body?: object
  /** With the certificate of this host. */
  readonly as?: DatabaseHost
}

/** The status, or the code of the failure if no reply came. */
async function tried(url: string, host: DatabaseHost, { method, user, body, as }: Tried = {}) {
  const file = (name: string) => readFile(join(host.folder, 'tls', name))
  const own = as ? { cert: await file('host.crt'), key: await file('host.key') } : {}
  const ca = await file('ca.crt')
  return await new Promise<number | string>(resolve => {
    const options = { method: method ?? 'GET', ca, ...own, agent: false, auth: user ?? null }
    const asked = request(url, options, answer => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asked.on('error', error => resolve((error as NodeJS.ErrnoException).code ?? error.message))
    asked.end(body ? JSON.stringify(body) : undefined)
  })
}

async function connects(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return 'connected'
  } catch (error) {
    return (error as Error).message
  } finally {
    await client.end().catch(() => {})
  }
}

export async function expectPortsRefused(database: Database, network: Network): Promise<void> {
  const shell = { postgresql: { parameters: { archive_command: 'touch /tmp/owned' } } }
  for (const host of database.hosts) {
    const etcd = `https://${network.address('front', host.node)}`
    // Without a certificate of its authority no connection begins.
    expect(await tried(`${etcd}:2379/v2/keys/service/dodeca/config`, host)).toMatch(/SSL|RESET/)
    expect(await tried(`${etcd}:2380/members`, host)).toMatch(/SSL|RESET/)
    const key = `${etcd}:2379/v2/keys/service/dodeca/config`
    // etcd 3.4 closes the connection of somebody who names no user.
    expect(await tried(key, host, { as: host })).toBe('ECONNRESET')
    expect(await tried(key, host, { as: host, method: 'PUT' })).toBe('ECONNRESET')
    expect(await tried(key, host, { as: host, user: 'patroni:guess' })).toBe(401)
    const range = { as: host, method: 'POST', body: { key: 'AA==', range_end: 'AA==' } }
    expect(await tried(`${etcd}:2379/v3/kv/range`, host, range)).toSatisfy(no)

    const patroni = `https://${host.address}:8008`
    for (const [path, method] of [
      ['/config', 'PATCH'],
      ['/restart', 'POST'],
      ['/switchover', 'POST'],
      ['/reinitialize', 'POST'],
    ] as const) {
      const asked = { method, body: shell }
      for (const one of [asked, { ...asked, as: host }, { ...asked, user: 'patroni:guess' }]) {
        expect([path, await tried(patroni + path, host, one)]).toEqual([path, expect.toSatisfy(no)])
      }
    }

    const at = `${host.address}:5432/`
    expect(await connects(`postgres://postgres@${at}postgres`)).toContain('no pg_hba.conf entry')
    const encrypted = '?sslmode=no-verify'
    expect(await connects(`postgres://postgres@${at}postgres${encrypted}`)).toContain('pg_hba.conf')
    expect(await connects(`postgres://dodeca:guess@${at}dodeca`)).toContain('pg_hba.conf')
    expect(await connects(`postgres://dodeca:guess@${at}dodeca${encrypted}`)).toContain('password')
    const replication = `postgres://replicator:guess@${at}postgres${encrypted}&replication=true`
    expect(await connects(replication)).toContain('pg_hba.conf')
  }
}

const no = (status: unknown) => status === 400 || status === 401 || status === 403
