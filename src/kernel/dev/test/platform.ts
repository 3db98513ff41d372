/**
 * The development helpers on the real HTTP pipeline, a real database and the real sandbox. Access
 * is a port of the kernel: here a bearer token is the id of a tenant.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Type } from 'typebox'
import { loadConfig } from '../../../config.ts'
import { clientAddress } from '../../access/client-address.ts'
import { openCsrf } from '../../access/csrf.ts'
import type { Access } from '../../access/principal.ts'
import { openRateLimiter } from '../../access/rate.ts'
import { openClock } from '../../clock.ts'
import { openDb } from '../../database/db.ts'
import { migrate } from '../../database/migrate.ts'
import { openOutbox } from '../../events/outbox.ts'
import { openFaults } from '../../faults.ts'
import { buildApp } from '../../http/app.ts'
import { openKeyed } from '../../idempotency/keyed.ts'
import { isId } from '../../ids.ts'
import { openKeyring } from '../../keys.ts'
import { openLog } from '../../log.ts'
import { openMetrics } from '../../metrics.ts'
import { catalogOf, problem } from '../../http/problem.ts'
import type { EventDeclaration } from '../../surface.ts'
import { devRoutes } from '../routes.ts'
import { startPostgres } from './postgres.ts'

export type Platform = Awaited<ReturnType<typeof startPlatform>>

const access: Access = {
  authenticate: ({ token }) => {
    if (!isId(token)) throw problem('invalid_token')
    const rest = { session_id: null, aal: 'aal1', auth_time: 0, kind: 'account' } as const
    return { ...rest, id: token, tenant_id: token }
  },
  grants: () => Promise.resolve(new Set<string>()),
}

const declared = new Map<string, EventDeclaration>([
  ['thing.made', { version: 3, data: Type.Object({ amount_minor: Type.Integer({ minimum: 0 }) }) }],
])

export async function startPlatform() {
  const postgres = await startPostgres()
  const data_dir = mkdtempSync(join(tmpdir(), 'dev-test-'))
  const config = loadConfig({ DATA_DIR: data_dir, PORT: '0' }, {})
  const { settings } = config
  const sources = [{ schema: 'kernel', folder: new URL('../../migrations/', import.meta.url) }]
  await migrate({ url: postgres.url, sources, statement_timeout_ms: 5000 })
  const metrics = openMetrics()
  const log = openLog({ level: 'silent', readable: false })
  const faults = openFaults('')
  const clock = openClock()
  const woken = { times: 0 }
  const db = openDb({
    url: postgres.url,
    pool: 5,
    wait_ms: 2000,
    check_rows: true,
    application_name: 'dev-test',
    outbox: openOutbox(declared),
    committed: () => {},
    waited: () => {},
    lost: () => {},
  })
  const keys = await openKeyring({
    keyring: null,
    pepper: null,
    file: join(data_dir, 'keys.json'),
    may_create: true,
  })
  const app = buildApp({
    routes: devRoutes({ config, db, clock, faults, declared, wake: () => void woken.times++ }),
    db,
    access,
    csrf: openCsrf(keys, []),
    catalog: catalogOf([]),
    permissions: new Map(),
    metrics,
    log,
    strict: true,
    fault: faults.fault,
    keyed: openKeyed({ db, metrics, fault: faults.fault, wait_ms: 100 }),
    rates: openRateLimiter(settings, () => {}),
    addressOf: clientAddress(settings['kernel.trusted_proxies']),
    stopping: new AbortController().signal,
    busy: () => null,
    public_url: config.public_url,
    retention_hours: 168,
    body_limit_bytes: 1024 * 1024,
    heartbeat_ms: 15_000,
    stall_ms: 30_000,
    secure: false,
    cors_origins: [],
  })
  const base = await app.listen({ host: '127.0.0.1', port: 0 })
  const stop = async () => {
    await app.close()
    await db.close()
    await postgres.stop()
  }
  return { base, data_dir, db, clock, faults, log, woken, stop }
}

/** The sandbox is another program: it is started as one. */
export async function startSandbox(data_dir: string): Promise<() => Promise<void>> {
  const entry = fileURLToPath(new URL('../../../sandbox/main.ts', import.meta.url))
  const child = spawn(process.execPath, [entry, data_dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
}
