/**
 * Sends the same requests about addresses with an account and without an account, in turns, and
 * measures each response time. Each address is used once, so that no rate limit applies. The order
 * within a pair alternates, so that neither kind has an advantage.
 */
import { Agent, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'

export type Times = { readonly known: number[]; readonly absent: number[] }

export type Pair = { readonly known: string; readonly absent: string }

type Answer = { readonly status: number; readonly ms: number }

const wordless = 'no password of anybody here'

/** A request about an address, and the status that both kinds of address must get. */
export const questions = {
  login: { path: '/v1/sessions', more: { password: wordless }, status: 401 },
  'password reset': { path: '/v1/password-reset-requests', more: {}, status: 202 },
  'login code': { path: '/v1/login-codes', more: {}, status: 202 },
  register: { path: '/v1/accounts', more: { password: wordless }, status: 202 },
} as const
export type Asked = keyof typeof questions

export async function probe(
  port: number,
  what: Asked,
  pairs: readonly Pair[],
  progress: (done: number) => void,
): Promise<Times> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: Times = { known: [], absent: [] }
  const { path, more, status: expected } = questions[what]
  const one = async (kind: keyof Times, pair: Pair) => {
    const { status, ms } = await post(agent, port, path, { email: pair[kind], ...more })
    if (status !== expected) throw new Error(`${what} answered ${status} instead of ${expected}`)
    times[kind].push(ms)
  }
  try {
    for (const [number, pair] of pairs.entries()) {
      const order =
        number % 2 === 0 ? (['known', 'absent'] as const) : (['absent', 'known'] as const)
      for (const kind of order) await one(kind, pair)
      progress(number + 1)
    }
  } finally {
    agent.destroy()
  }
  return times
}

async function post(agent: Agent, port: number, path: string, body: object): Promise<Answer> {
  const text = JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  const began = performance.now()
  const asking = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers })
  asking.end(text)
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return { status: answer.statusCode ?? 0, ms: performance.now() - began }
}
