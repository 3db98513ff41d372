/**
 * undici by itself: the same body and headers to the same sink, over as many origins and connections, and
 * nothing else. It is the ceiling of whatever sends webhooks from Node.
 */
import { Pool } from 'undici'

const body = Buffer.from('x'.repeat(1024))
const headers = {
  'content-type': 'application/json',
  'user-agent': 'dodeca-webhooks/1',
  'webhook-timestamp': '1700000000',
  'webhook-signature': `v1,${'a'.repeat(44)}`,
  'webhook-event-type': 'account.verified',
  'webhook-attempt': '1',
  'webhook-delivery-id': '019a0000-0000-7000-8000-000000000000',
}

type Asked = {
  readonly ports: readonly number[]
  readonly connections: number
  readonly count: number
}

async function send({ ports, connections, count }: Asked): Promise<void> {
  const each = Math.ceil(connections / ports.length)
  const pools = ports.map(
    port => new Pool(`http://127.0.0.1:${port}`, { connections: each, pipelining: 1 }),
  )
  let left = count
  const one = async (index: number) => {
    const pool = pools[index % pools.length]
    while (pool && left-- > 0) {
      const id = `019a0000-0000-7000-8000-${String(left).padStart(12, '0')}`
      const own_headers = { ...headers, 'webhook-id': id }
      const { body: answer } = await pool.request({
        method: 'POST',
        path: '/',
        headers: own_headers,
        body,
      })
      await answer.dump()
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, index) => one(index)))
  await Promise.all(pools.map(pool => pool.close()))
}

process.on('message', (asked: Asked) => {
  void send(asked).then(() => process.send?.({ done: true }))
})
process.once('disconnect', () => process.exit(0))
process.once('SIGTERM', () => process.exit(0))
process.send?.({ ready: {} })
