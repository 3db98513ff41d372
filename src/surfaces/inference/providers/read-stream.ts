/**
 * Reads a stream of the provider with watchdogs. Only a received terminal event is an end;
 * everything else is a failure, also a connection that closes without a last event.
 */
import { invalid, timedOut } from './failures.ts'
import type { Call } from './call.ts'
import { ProviderFailure, type FinishReason, type ProviderEvent } from './provider.ts'

export type End = { readonly ended: FinishReason } | ProviderFailure

export type Read = {
  readonly events: readonly ProviderEvent[]
  /** The provider's own end, as far as it is known now. */
  readonly end?: End
  /** Nothing that matters follows. */
  readonly last?: true
}

/** After the last event the connection should end. Until it does, it cannot be used again. */
const tail_ms = 1000

export async function* readStream<E>(
  call: Call,
  open: () => Promise<AsyncIterable<readonly E[]>>,
  read: (event: E) => Read,
): AsyncGenerator<ProviderEvent> {
  const watch = watchdogs(call)
  let end: End | undefined
  let begun = false
  let complete = false
  let last = false
  try {
    // Each attempt has the whole time to its first event. Until its headers arrive, the outgoing
    // client watches it, so that a silent provider is asked again.
    call.onAnswer = waited_ms => watch.arm('first_event', call.limits.first_event_ms - waited_ms)
    call.onEnd = watch.disarm
    try {
      for await (const arrived of await open()) {
        watch.disarm()
        begun = true
        const seen = together(arrived.map(read))
        // After its end an answer has nothing more to say, but its usage may follow.
        yield* end ? seen.events.filter(one => one.type === 'usage') : seen.events
        end ??= seen.end
        last ||= seen.last
        watch.arm(last ? 'tail' : 'idle', last ? tail_ms : call.limits.idle_ms)
      }
    } catch (error) {
      end ??= call.verdict(error)
    }
    watch.close()
    end ??= call.failure ?? truncated(call, begun)
    complete = true
    if (end instanceof ProviderFailure) {
      if (isAnswer(end)) await call.end('succeeded', end.reason, 0)
      else await call.endBy(begun ? known(end) : end)
      throw call.thrown(end)
    }
    await call.end('succeeded', undefined, 0)
    yield { type: 'ended', reason: end.ended }
  } finally {
    watch.close()
    // The reader has disconnected: the connection is closed immediately.
    if (!complete) {
      call.controller.abort()
      await call.end('aborted', 'aborted')
    }
    call.close()
  }
}

/** Texts that arrived together are joined. */
function together(all: readonly Read[]) {
  const events: ProviderEvent[] = []
  for (const event of all.flatMap(one => one.events)) {
    const before = events.at(-1)
    if (event.type === 'text' && before?.type === 'text') {
      events[events.length - 1] = { type: 'text', text: before.text + event.text }
    } else {
      events.push(event)
    }
  }
  const end = all.find(one => one.end)?.end
  return { events, last: all.some(one => one.last), ...(end ? { end } : {}) }
}

/** After an event has arrived, the provider certainly works on the call, so its text counts. */
function known({ code, retryable, reason }: ProviderFailure): ProviderFailure {
  return new ProviderFailure(code, { retryable, reason })
}

/** The model refused to answer. The attempt itself succeeded. */
function isAnswer({ blocked }: ProviderFailure): boolean {
  return blocked !== null
}

function truncated(call: Call, begun: boolean): ProviderFailure {
  if (call.options.signal.aborted) return new ProviderFailure('aborted', { ambiguous: !begun })
  return invalid('no_terminal_event', !begun)
}

function watchdogs(call: Call) {
  let begun = false
  let timer: NodeJS.Timeout | undefined
  const total = setTimeout(() => fire('total'), call.limits.stream_max_ms)
  const fire = (reason: string) => {
    if (reason === 'tail') call.controller.abort()
    else call.fail(timedOut(reason, !begun))
  }
  return {
    /** Waits for the next event, but not while our own reader is slow. */
    arm: (reason: string, ms: number) => {
      begun = reason !== 'first_event'
      clearTimeout(timer)
      const left_ms = call.leftMs()
      const within = left_ms < ms ? 'deadline' : reason
      timer = setTimeout(() => fire(within), Math.max(0, Math.min(ms, left_ms)))
    },
    disarm: () => clearTimeout(timer),
    close: () => {
      clearTimeout(timer)
      clearTimeout(total)
    },
  }
}
