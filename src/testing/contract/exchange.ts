/**
 * One HTTP exchange exactly as the crawler needs it: any method, any header, a body of bytes or one
 * that is only announced. A client library would correct what the rules break on purpose.
 */
import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

export type Sent = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes?: Buffer | undefined
  /** The length that is announced, of which not one byte is sent. */
  readonly announced?: number | undefined
}

export type Exchange = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON, where it says that it is; a rule asserts what it reads of it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a rule reads members that it then asserts
  readonly body: any
}

export async function exchange(base_url: string, sent: Sent): Promise<Exchange> {
  const { method, path, headers, bytes, announced } = sent
  const length = announced ?? bytes?.length
  const call = request(new URL(base_url + path), {
    method,
    headers: { ...headers, ...(length === undefined ? {} : { 'content-length': length }) },
  })
  const arrived = once(call, 'response') as Promise<[IncomingMessage]>
  if (announced === undefined) call.end(bytes)
  else call.flushHeaders()
  const [response] = await arrived
  let text = ''
  response.setEncoding('utf8')
  for await (const part of response) text += String(part)
  // What was announced will never come; an error of the closed connection tells nothing any more.
  call.on('error', () => {})
  if (announced !== undefined) call.destroy()
  const json = /[/+]json/.test(response.headers['content-type'] ?? '')
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    body: json && text ? JSON.parse(text) : null,
  }
}
