/**
 * Reads the events of a provider's stream. It returns all events that arrived together.
 */
import type { Buffer } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import { codeOf, failureOfCode, invalid } from './failures.ts'
import type { ProviderFailure } from './provider.ts'

/** The maximum size of an event. A longer one makes the response invalid. */
const event_units_max = 16 * 1024 * 1024
/** The last event of chat completions; only the end of the body follows. */
const sentinel = '[DONE]'

export async function* readEvents<E>(body: AsyncIterable<Buffer>): AsyncGenerator<readonly E[]> {
  const decoder = new StringDecoder('utf8')
  let arrived: E[] = []
  let failure: ProviderFailure | undefined
  const parser = createParser({
    maxBufferSize: event_units_max,
    onEvent: ({ event, data }) => {
      if (failure || data === sentinel) return
      const value = parsed(data)
      failure = value === undefined ? invalid('malformed_json', true) : failureIn(event, value)
      if (!failure) arrived.push(value as E)
    },
    onError: error => {
      if (error.type === 'max-buffer-size-exceeded') failure ??= invalid('event_too_long', true)
    },
  })
  const taken = () => {
    const events = arrived
    arrived = []
    return events
  }
  for await (const chunk of body) {
    parser.feed(decoder.write(chunk))
    if (arrived.length > 0) yield taken()
    if (failure) throw failure
  }
  // Some servers leave out the empty line after the last event.
  parser.feed(`${decoder.end()}\n\n`)
  if (arrived.length > 0) yield taken()
  if (failure) throw failure
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

/** An `error` event, or an event with an error, ends the call. */
function failureIn(event: string | undefined, value: unknown): ProviderFailure | undefined {
  const { error } = (value ?? {}) as { error?: unknown }
  if (event !== 'error' && !error) return undefined
  return failureOfCode(codeOf((error ?? value ?? {}) as Record<string, unknown>))
}
