/** Reads a stream of server-sent events as it arrives. */
import { createParser } from 'eventsource-parser'

export type ServerEvent = {
  readonly event: string
  readonly id: string | undefined
  readonly data: Record<string, unknown>
}

/** Leaving the loop closes the connection, so that the platform notices it. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const events: ServerEvent[] = []
  const parser = createParser({
    onEvent: ({ event = 'message', id, data }) => {
      events.push({ event, id, data: JSON.parse(data) as Record<string, unknown> })
    },
  })
  const reader = body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      yield* events.splice(0)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
