/**
 * Ends a connection whose server does not reply. A statement ends by itself after the statement
 * timeout, so a longer silence means that the server cannot be reached: its machine is gone, or the
 * network drops the packets. TCP alone notices this after about 15 minutes, because its keep-alive
 * does not run while sent bytes wait for an acknowledgement.
 */
import type { Socket } from 'node:net'
import type pg from 'pg'

/** The parts of the driver's client that are used here. */
type Inner = {
  readonly connection: { readonly stream: Socket }
  readonly _activeQuery: unknown
  readonly _queryQueue: readonly unknown[]
  readonly _sentQueryQueue: readonly unknown[]
}

const limits = new WeakMap<object, number>()

export function endWhenSilent(client: pg.ClientBase, limit_ms: number): void {
  const inner = client as unknown as Inner
  const { stream } = inner.connection
  limits.set(client, limit_ms)
  // Each byte in either direction starts the time again. While nothing is asked, silence is normal.
  stream.setTimeout(limit_ms)
  stream.on('timeout', () => {
    if (isWaiting(inner)) {
      stream.destroy(new Error('Connection terminated: the database did not reply'))
    }
  })
}

/** For statements that may take longer than others. `false` ends the exception. */
export function allowSilence(client: pg.ClientBase, allowed: boolean): void {
  const limit_ms = limits.get(client)
  if (limit_ms === undefined) return
  const { stream } = (client as unknown as Inner).connection
  stream.setTimeout(allowed ? 0 : limit_ms)
}

function isWaiting({ _activeQuery, _queryQueue, _sentQueryQueue }: Inner): boolean {
  return Boolean(_activeQuery) || _queryQueue.length > 0 || _sentQueryQueue.length > 0
}
