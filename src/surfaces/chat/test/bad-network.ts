/** A network between a device and the platform that can be cut, stalled, and led to another process. */
import { once } from 'node:events'
import { connect as dial, createServer, type AddressInfo, type Socket } from 'node:net'

export type BadNetwork = {
  readonly url: string
  /** Connections go to another process from now on; those that are open stay. */
  lead(to: string): void
  /** Resets all connections. */
  cut(): void
  /** Neither side gets anything of the other, and none learns of it. */
  stall(): void
  flow(): void
  /** Refuses new connections, and resets those that are open. */
  down(): void
  up(): void
  close(): void
}

export async function openBadNetwork(to: string): Promise<BadNetwork> {
  let target = new URL(to)
  let stalled = false
  let dead = false
  const pairs = new Set<readonly [Socket, Socket]>()
  const join = ([near, far]: readonly [Socket, Socket]) => void near.pipe(far).pipe(near)
  const part = ([near, far]: readonly [Socket, Socket]) => {
    near.unpipe().pause()
    far.unpipe().pause()
  }
  const server = createServer(near => {
    near.on('error', () => {})
    if (dead) return void near.resetAndDestroy()
    const far = dial(Number(target.port), target.hostname)
    const pair = [near, far] as const
    pairs.add(pair)
    far.on('error', () => near.destroy())
    for (const one of pair) one.once('close', () => pairs.delete(pair))
    if (stalled) part(pair)
    else join(pair)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const [near, far] of pairs) {
      near.resetAndDestroy()
      far.resetAndDestroy()
    }
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead: url => {
      target = new URL(url)
    },
    cut,
    stall: () => {
      stalled = true
      pairs.forEach(part)
    },
    flow: () => {
      if (stalled) pairs.forEach(join)
      stalled = false
    },
    down: () => {
      dead = true
      cut()
    },
    up: () => {
      dead = false
    },
    close: () => {
      cut()
      server.close()
    },
  }
}
