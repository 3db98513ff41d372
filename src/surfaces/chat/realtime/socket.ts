/** The socket `/v1/realtime`: who may open it, how its frames are read, and how it ends. */
import { isAllowed, jitter, otherOrigins } from '#dodeca/kernel'
import type { Handshake, OpenSocket, SocketRoute } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { Connection, limitsOf, type Holder, type Limits } from './connection.ts'
import { readFrame } from './frames.ts'
import {
  errorFrame,
  openFrameHandler,
  touchDevice,
  type FrameHandler,
  type SocketDeps,
} from './handle-frame.ts'
import { protocol, socket_path } from './token-route.ts'

const last_sends_ms = 2000
const misread_max = 3

export function socketRoute(deps: SocketDeps): SocketRoute {
  const { settings } = deps.kernel
  const opening = { ...deps, limits: limitsOf(deps.kernel), handle: openFrameHandler(deps) }
  return {
    path: socket_path,
    protocols: [protocol],
    frame_bytes: settings['chat.frame_bytes'],
    sockets_max: settings['chat.sockets_max'],
    handshakes_per_minute: settings['chat.handshakes_per_minute'],
    admit: async handshake => {
      const holder = await admit(deps, handshake)
      return opened => open(opening, holder, opened)
    },
    drain: () => drain(deps),
  }
}

async function admit({ kernel, people, live }: SocketDeps, handshake: Handshake): Promise<Holder> {
  requireOrigin(kernel, handshake)
  const token = tokenOf(handshake)
  const { account_id: user_id, tenant_id, session_id, device_id } = await people.useRealtime(token)
  const members = await people.membersOf(kernel.db, tenant_id, [user_id])
  if (!members.has(user_id)) {
    throw problem('invalid_token', {
      detail: 'The account does not belong to this tenant any more.',
    })
  }
  const holder = { tenant_id, user_id, session_id, device_id }
  if (isFull({ kernel, live }, holder)) {
    const most = kernel.settings['chat.sockets_per_user']
    throw problem('rate_limited', {
      detail: `A person has at most ${most} sockets. Close one first.`,
      retry_after: 10,
    })
  }
  return holder
}

function isFull(
  { kernel: { settings }, live }: Pick<SocketDeps, 'kernel' | 'live'>,
  { tenant_id, user_id }: Holder,
): boolean {
  return live.registry.of(tenant_id, user_id).size >= settings['chat.sockets_per_user']
}

/** A page of another site must not connect. Clients without an Origin header are not browsers. */
function requireOrigin(
  { settings, public_url, profile }: SocketDeps['kernel'],
  { headers }: Handshake,
): void {
  const { origin } = headers
  if (origin === undefined) return
  const given = settings['chat.allowed_origins']
  const allowed =
    given.length > 0
      ? given.includes(origin)
      : origin === new URL(public_url).origin ||
        isAllowed(otherOrigins(profile, settings['kernel.cors_origins']), origin)
  if (!allowed) throw problem('origin_not_allowed')
}

function tokenOf({ query, headers, protocols }: Handshake): string {
  const bearer = /^Bearer +([\x21-\x7e]+)$/i.exec(headers.authorization ?? '')?.[1]
  const offered = protocols.filter(name => name.startsWith('token.')).map(name => name.slice(6))
  const given = [...query.getAll('token'), ...offered, ...(bearer ? [bearer] : [])]
  const [token] = given
  if (!token || given.length > 1) {
    throw problem('invalid_token', {
      detail:
        'Send one token of `GET /v1/realtime-token`: as the subprotocol `token.<token>`, as `Authorization: Bearer`, or as `?token=`.',
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
  return token
}

/**
 * Runs in the same turn as the upgrade, so that a frame that came with the handshake is not lost.
 */
function open(
  deps: SocketDeps & { readonly limits: Limits; readonly handle: FrameHandler },
  holder: Holder,
  { socket, connection: wire }: OpenSocket,
): void {
  const { kernel, live, people, limits, handle } = deps
  const { session_id, tenant_id } = holder
  const hasEnded = () => people.hasEnded(session_id, tenant_id)
  const connection = new Connection(socket, wire, holder, limits, hasEnded)
  // Concurrent handshakes have all passed the first check, so the limit is checked again.
  if (isFull(deps, holder)) return connection.end(4429, 'too_many_sockets')
  const allowed = openBucket(kernel)
  let misread = 0
  const ready = prepare(deps, connection).catch((error: unknown) => {
    kernel.log.warn({ err: error }, 'a socket could not be opened')
    connection.end(1011, 'try_again')
  })
  socket.on('error', () => {})
  socket.on('message', (data, is_binary) => {
    if (connection.ended) return
    if (is_binary) return connection.end(1003, 'text_only')
    const verdict = allowed()
    if (verdict === 'close') return connection.end(4429, 'flooding')
    const frame = readFrame((data as Buffer).toString())
    if ('code' in frame) {
      const { code, detail, request_id } = frame
      connection.reply(errorFrame(deps, request_id, problem(code, { detail })))
      if (code === 'malformed_json' && ++misread >= misread_max) connection.end(4400, 'not_json')
      return
    }
    if (verdict === 'refuse') {
      const request_id = 'request_id' in frame ? (frame.request_id ?? null) : null
      const refusal = problem('rate_limited', { retry_after: 1 })
      connection.reply(errorFrame(deps, request_id, refusal))
      return
    }
    if (++connection.sends >= kernel.settings['chat.sends_in_flight']) socket.pause()
    void ready
      .then(() => (connection.ended ? undefined : handle(connection, frame)))
      .finally(() => {
        connection.sends--
        if (socket.isPaused) socket.resume()
      })
  })
  live.registry.add(connection)
  // The session may have ended since the token was checked.
  people.sessionAlive(holder.session_id).then(
    alive => alive || connection.end(4401, 'session_revoked'),
    () => connection.end(1011, 'try_again'),
  )
}

async function prepare(deps: SocketDeps, connection: Connection): Promise<void> {
  const { live, kernel } = deps
  const { settings } = kernel
  await live.watch(connection)
  await touchDevice(deps, connection)
  if (connection.plain) return
  const { user_id, device_id } = connection.holder
  connection.reply({
    type: 'hello',
    connection_id: connection.id,
    user_id,
    device_id,
    heartbeat_ms: settings['chat.heartbeat_ms'],
    limits: {
      frame_bytes: settings['chat.frame_bytes'],
      frames_per_second: settings['chat.frames_per_second'],
      sends_in_flight: settings['chat.sends_in_flight'],
    },
  })
}

/**
 * A token bucket of frames. If it is empty, a frame is refused; a client that continues without a
 * pause is disconnected.
 */
function openBucket({ settings }: SocketDeps['kernel']): () => 'pass' | 'refuse' | 'close' {
  const factor = settings['kernel.rate_factor']
  const per_ms = (settings['chat.frames_per_second'] * factor) / 1000
  const burst = settings['chat.frames_burst'] * factor
  let level = burst
  let at = performance.now()
  return () => {
    const now = performance.now()
    level = Math.min(burst, level + (now - at) * per_ms) - 1
    at = now
    if (level >= 0) return 'pass'
    return level < -burst ? 'close' : 'refuse'
  }
}

/** Running sends are still acknowledged. */
async function drain({ live }: SocketDeps): Promise<void> {
  const all = [...live.registry.all()]
  for (const connection of all) {
    const reconnect_after_ms = Math.round(jitter() * 5000)
    if (!connection.plain) connection.reply({ type: 'server.draining', reconnect_after_ms })
  }
  const late = performance.now() + last_sends_ms
  while (all.some(one => !one.ended && one.sends > 0) && performance.now() < late) {
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  const closed = all.map(
    connection =>
      new Promise<void>(resolve => {
        if (connection.socket.readyState === connection.socket.CLOSED) return resolve()
        connection.socket.once('close', () => resolve())
      }),
  )
  for (const connection of all) connection.end(1001, 'server_draining')
  await Promise.all(closed)
}
