/** A stream of events, as a client reads it. */
import { expect } from 'vitest'
import { newKey } from '../../../../test/world.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads members that it then asserts
export type StreamEvent = { readonly event: string; readonly data: any }

export type Events = {
  readonly seen: readonly StreamEvent[]
  /** The next event of this name; those before it are skipped. */
  until(event: string): Promise<StreamEvent>
  /** What is left, to the end. */
  all(): Promise<StreamEvent[]>
  leave(): void
}

export async function openEvents(
  url: string,
  path: string,
  token: string,
  body: object,
  key = newKey(),
): Promise<Events> {
  const stop = new AbortController()
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
      accept: 'text/event-stream, application/problem+json',
    },
    body: JSON.stringify(body),
    signal: stop.signal,
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const seen: StreamEvent[] = []
  const events = parse(response.body as unknown as AsyncIterable<Uint8Array>)
  const next = async () => {
    const { value, done } = await events.next()
    if (done) return undefined
    seen.push(value)
    return value
  }
  return {
    seen,
    until: async name => {
      for (;;) {
        const one = await next()
        if (!one) throw new Error(`the stream ended before ${name}: ${JSON.stringify(seen)}`)
        if (one.event === name) return one
      }
    },
    all: async () => {
      const rest: StreamEvent[] = []
      for (let one = await next(); one; one = await next()) rest.push(one)
      return rest
    },
    leave: () => stop.abort(),
  }
}

async function* parse(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const frame = text.slice(0, end)
      text = text.slice(end + 2)
      const event = /^event: (.*)$/m.exec(frame)?.[1]
      const data = /^data: (.*)$/m.exec(frame)?.[1]
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) }
    }
  }
  return undefined
}
