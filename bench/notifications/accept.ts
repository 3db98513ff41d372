/** Accepting a notification, beside a bare Fastify that sends the same statements to the same tables. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Database } from '../ground/database.ts'
import { load, requestText } from '../ground/load.ts'
import { ended, startOn } from '../ground/machine.ts'
import type { Options } from '../ground/options.ts'
import { figure, ratioVerdict } from '../ground/report.ts'
import { compete, type Standing } from '../ground/rounds.ts'
import type { BareAccept } from './accept-process.ts'
import type { Measured } from './measures.ts'
import { prepare } from './prepare.ts'
import type { Sink } from './sink.ts'

const connections = 16

/** A process that only answers requests, like the plain server. Nothing is sent meanwhile. */
export async function measureAccept(
  database: Database,
  sink: Sink,
  options: Options,
): Promise<Measured[]> {
  const at = await prepare(database, sink, 'accept', {
    side: 'server',
    profile: options.profile,
    settings: { ROLES: 'api' },
  })
  const bare = await startBare(at)
  const request = requestText({
    method: 'POST',
    path: '/v1/notifications',
    token: at.token,
    key: 'bench-{fresh}',
    body: {
      recipient: { user_id: at.user_id },
      category: 'order.updates',
      template: { name: 'bench' },
      data: { name: 'Ada' },
      channels: ['email'],
    },
  })
  const to = (port: number, pid: number | undefined) => () =>
    load({ port, pid, connections, requests: [request], status: 202 }, options)
  const [ours, theirs] = await compete(
    [
      { name: 'dodeca', run: to(at.program.port, at.program.pid) },
      { name: 'bare Fastify + pg', run: to(bare.port, bare.pid) },
    ],
    options.rounds,
  )
  await bare.stop()
  await at.stop()
  if (!ours || !theirs) throw new Error('no figures')
  const said = ({ per_second, p99_ms, cpu_us }: Standing) =>
    `${Math.round(per_second).toLocaleString('en')}/s, p99 ${figure(p99_ms)} ms, CPU ${figure(cpu_us ?? 0)} µs`
  const row = [
    'POST /v1/notifications, 16 connections',
    said(ours),
    `${theirs.name} ${said(theirs)}`,
  ] as const
  const verdict = { ...ratioVerdict(ours, theirs, 0.8), says: 'accept / bare Fastify + pg' }
  if (ours.unexpected + theirs.unexpected > 0) throw new Error('a request was not accepted')
  return [{ row, verdict }]
}

async function startBare(given: BareAccept) {
  const child = startOn({
    side: 'server',
    program: process.execPath,
    args: [fileURLToPath(new URL('./accept-process.ts', import.meta.url))],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const { database_url, tenant_id, user_id } = given
  child.send({ database_url, tenant_id, user_id })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM')
      await ended(child)
    },
  }
}
