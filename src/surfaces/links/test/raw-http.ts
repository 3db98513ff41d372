/** Requests that fetch would not send: with a Host header of their own, or not well formed. */
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

export type RawAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export type RawOptions = {
  readonly method?: string
  readonly headers?: Record<string, string>
  /** The address of the caller. */
  readonly from?: string
}

export async function onHost(
  url: string,
  host: string,
  path: string,
  { method = 'GET', headers = {}, from = '127.0.0.1' }: RawOptions = {},
): Promise<RawAnswer> {
  const { port } = new URL(url)
  return await new Promise((resolve, reject) => {
    const asked = request({
      port,
      host: '127.0.0.1',
      localAddress: from,
      path,
      method,
      headers: { ...headers, host },
    })
    asked.on('error', reject)
    asked.on('response', response => {
      text(response).then(
        body => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      )
    })
    asked.end()
  })
}

/** Sends the bytes as they are; answers the first line of the answer. */
export async function firstLine(url: string, lines: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.end(lines)
  return (await text(socket)).split('\r\n', 1)[0] ?? ''
}
