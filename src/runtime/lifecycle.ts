/**
 * Starts the work of a process's roles, and stops it in an order that loses nothing: report "not
 * ready", serve until the load balancer notices, refuse new work, end streams, finish requests, stop
 * loops, release leases, close pools.
 */
import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { tenant_states_sign } from '../kernel/work/tenant-states.ts'
import type { Config } from './config.ts'
import { deprecatedCallsRetention } from '../kernel/http/server/deprecated-calls.ts'
import { requestRetention } from '../kernel/http/server/request-log.ts'
import { codeOf, StartError, type Loop } from '#dodeca/kernel'
import { clock_sign, followClock } from './dev/follow-clock.ts'
import type { PlatformParts } from './platform-parts.ts'
import { signsOf, startLoops, type RunningLoops } from '../kernel/work/run-loops.ts'
import { queueLoop } from '../kernel/work/run-queue.ts'
import { sealedOutcomes } from '../kernel/work/sealed-outcomes.ts'
import { resealLoop } from '../kernel/work/reseal.ts'
import { retentionLoop } from '../kernel/work/retention.ts'

export function lifecycle(
  parts: PlatformParts,
  makeServer: () => Server,
  stopping: AbortController,
) {
  const { options, kernel, opened, events, overload, sink, connections, pulse, sleepers } = parts
  const { nats_bus, sockets } = parts
  const { config, log } = options
  const development = config.profile === 'development'
  const following = followClock({ db: kernel.db, clock: kernel.clock, onWake: kernel.onWake, log })
  let loops: RunningLoops | undefined
  let server: Server | undefined
  const start = async () => {
    server = makeServer()
    await sink?.loaded
    nats_bus?.start()
    await events.start()
    if (development) await following.start()
    if (config.roles.includes('api')) {
      await parts.tenants.start()
      pulse.add([tenant_states_sign])
    }
    if (config.roles.includes('worker')) {
      const all = loopsOf(parts)
      pulse.add(signsOf(all))
      loops = startLoops(all, { log, sleepers })
    }
    pulse.add(opened.flatMap(one => one.signs ?? []))
    if (development) pulse.add([clock_sign])
    pulse.start()
    return options.member?.listens === false ? config.port : await listen(server, config)
  }
  const stop = async () => {
    overload.drain()
    // Each connection ends with its next reply, so that none is used when the process closes it.
    server?.prependListener('request', (_request, response: ServerResponse) => {
      response.shouldKeepAlive = false
    })
    const drain_seconds = config.settings['kernel.drain_seconds']
    if (drain_seconds > 0) await new Promise(resolve => setTimeout(resolve, drain_seconds * 1000))
    overload.refuseAll()
    stopping.abort(new Error('the process stops'))
    // The listener closes at once: a new connection belongs to another process.
    await Promise.all([sockets.drain(), connections.closeWith(() => close(server))])
    await Promise.all([pulse.stop(), loops?.stop(), following.stop()])
    await parts.tenants.stop()
    await events.stop()
    await Promise.all([sink?.stop(), nats_bus?.stop()])
    for (const one of opened.toReversed()) await one.close?.()
    await Promise.all([parts.deprecatedCalls.close(), parts.requestLog.close()])
    await kernel.db.close()
  }
  return { start, stop }
}

/**
 * The loops that surfaces declare (the kernel runs them), and the surfaces' own background work.
 */
function loopsOf({ kernel, opened, events, queues }: PlatformParts): Loop[] {
  return [
    ...opened.flatMap(one => one.loops ?? []),
    ...queues.map(one => queueLoop(kernel, one)),
    retentionLoop(kernel, [
      ...events.retention,
      deprecatedCallsRetention,
      requestRetention(kernel.settings['kernel.request_log_days']),
      ...opened.flatMap(one => one.retention ?? []),
    ]),
    resealLoop(kernel, [sealedOutcomes, ...opened.flatMap(one => one.sealed ?? [])]),
  ]
}

async function listen(server: Server, { host, port }: Config): Promise<number> {
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EADDRINUSE') {
      throw new StartError(
        `Port ${port} is in use. Stop the program that listens on it, or choose another port: PORT=${port + 1} npm start`,
      )
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new StartError(
        `The platform cannot listen on ${host}:${port} (${code}). Choose another HOST or PORT.`,
      )
    }
    throw error
  }
  const address = server.address()
  return typeof address === 'object' && address ? address.port : port
}

/** Resolves when the last request has its reply. */
async function close(server: Server | undefined): Promise<void> {
  if (!server?.listening) return
  const closed = once(server, 'close')
  server.close()
  await closed
}
