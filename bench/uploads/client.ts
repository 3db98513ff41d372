/** The client of the comparison: requests over kept connections, bodies from memory. */
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

export type Sent = {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: string
}

export function send(
  method: string,
  url: string,
  {
    headers = {},
    body,
  }: { headers?: Record<string, string | number>; body?: Buffer | string } = {},
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const asked = request(url, { method, agent, headers: { ...length, ...headers } }, answer => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => void (chunks.length < 100 && chunks.push(chunk)))
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** Reads a download and discards it. Returns the number of bytes. */
export function drain(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0
    request(url, { agent }, answer => {
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length))
      answer.on('end', () => resolve(bytes))
    })
      .on('error', reject)
      .end()
  })
}
