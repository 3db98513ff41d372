/**
 * Writes Server-Sent Events: exactly one terminal event, and heartbeats only while the upstream
 * sends. If a reader does not read, the upstream is stopped, and the reader gets an error event
 * when it reads again. Headers are sent with the first event, so that an earlier failure can still
 * set the status.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

export type SseEvent = {
  readonly event: string
  readonly data: unknown
  readonly id?: string
  /** True for the terminal event. */
  readonly terminal?: true
  /** Written without an id and a name, as some APIs do. A text is written as it is. */
  readonly plain?: true
  /**
   * The kernel does not send this event. The event shows that the upstream works although there is
   * nothing to send yet.
   */
  readonly silent?: true
}

/** The reason why the kernel ends a stream that has not ended itself. */
export type EndingCode =
  'internal_error' | 'shutting_down' | 'invalid_token' | 'upstream_timeout' | 'slow_consumer'

/**
 * `ending` makes the last event of a stream that the kernel ends, with the properties of that event
 * type.
 */
export type EventStream = AsyncIterable<SseEvent> & { ending?(code: EndingCode): SseEvent }

export type SseOptions = {
  heartbeat_ms: number
  /**
   * The longest idle time of the upstream, and the longest time that the connection's buffer may
   * stay full.
   */
  stall_ms: number
  /**
   * A reader that watches a resource waits while nothing happens. So a time without events is not a
   * stall.
   */
  may_be_quiet?: boolean
  /** Whether the reader's credential is still valid. */
  stands?: (() => Promise<boolean> | boolean) | undefined
  /** Whether another cell serves the reader now. Here nothing would happen any more. */
  moved?: (() => boolean) | undefined
  /** Aborted when the process stops. */
  stopping: AbortSignal
  /** Ends the upstream when the reader has disconnected or does not read. */
  abort(reason: string): void
}

export const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

type Ending = EndingCode | null

/** Writes the whole stream; resolves when the response has ended. */
export async function writeEvents(
  response: ServerResponse,
  events: EventStream,
  options: SseOptions,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]()
  const ends = new Interrupts()
  // A reader that watches a resource gets the headers immediately, even if nothing happens for an
  // hour.
  if (options.may_be_quiet) response.flushHeaders()
  const leave = () => ends.raise('gone')
  const stop = () => ends.raise('shutting_down')
  response.once('close', leave)
  options.stopping.addEventListener('abort', stop, { once: true })
  if (options.stopping.aborted) stop()
  if (response.closed) leave()
  let moved = performance.now()
  const heartbeat = setInterval(() => {
    const quiet = performance.now() - moved
    const alive = options.may_be_quiet === true || quiet < options.stall_ms
    if (alive && response.writableLength === 0) response.write(': heartbeat\n\n')
  }, options.heartbeat_ms)
  const reader = watchReader(options, code => ends.raise(code))
  const stall = setTimeout(() => {
    if (!options.may_be_quiet) ends.interruptWait('upstream_timeout')
  }, options.stall_ms)
  let ending: Ending = 'internal_error'
  let next_id = 1
  // If events have positions, the terminal event has none: a reader resumes after the last event
  // with a position.
  let placed = false
  try {
    for (;;) {
      stall.refresh()
      const step = await ends.or(iterator.next())
      if (typeof step === 'string') return void (ending = step === 'gone' ? null : step)
      if (step.done) return
      moved = performance.now()
      if (step.value.silent) continue
      const refused = reader.isDue() ? await reader.admit() : null
      if (refused) return void (ending = refused)
      placed ||= step.value.id !== undefined
      const number = placed || options.may_be_quiet ? null : next_id++
      const flushed = response.write(frame(step.value, number))
      if (step.value.terminal) return void (ending = null)
      if (!flushed && !(await drained(response, options.stall_ms))) {
        return void (ending = response.closed ? null : 'slow_consumer')
      }
    }
  } catch {
    // The cause was logged where it occurred. The reader only gets the message that the stream
    // failed.
    ending = 'internal_error'
  } finally {
    clearInterval(heartbeat)
    clearInterval(reader.timer)
    clearTimeout(stall)
    response.removeListener('close', leave)
    options.stopping.removeEventListener('abort', stop)
    if (ending || response.writableNeedDrain || response.closed) options.abort(ending ?? 'gone')
    void iterator.return?.()?.catch(() => {})
    if (ending) {
      const id = placed || options.may_be_quiet ? null : next_id
      const last = events.ending?.(ending) ?? { event: 'error', data: { code: ending } }
      response.write(frame(last, id))
    }
    letGo(response, options)
  }
}

const stands_every_ms = 1000
/** An event waits this long while the check fails, for example while the database restarts. */
const admit_ms_max = 5000

/**
 * Checks the reader once a second, and before an event if the last check is older than that, because
 * the process may have stood still. If a check throws, the stream continues until the next event.
 */
function watchReader({ stands, moved }: SseOptions, end: (code: EndingCode) => void) {
  let checked_ms = performance.now()
  const check = async (): Promise<EndingCode | null> => {
    const began_ms = performance.now()
    if (moved?.()) return 'shutting_down'
    if (stands && !(await stands())) return 'invalid_token'
    checked_ms = began_ms
    return null
  }
  const admit = (late_ms = performance.now() + admit_ms_max): Promise<EndingCode | null> =>
    check().catch(async (error: unknown) => {
      if (performance.now() > late_ms) throw error
      await wait(200)
      return await admit(late_ms)
    })
  const again = async () => {
    const code = await check().catch(() => null)
    if (code) end(code)
  }
  return {
    isDue: () => stands !== undefined && performance.now() - checked_ms > stands_every_ms,
    admit,
    timer: stands || moved ? setInterval(() => void again(), stands_every_ms) : undefined,
  }
}

type Interrupt = EndingCode | 'gone'

/**
 * Everything that may end a stream while its next event is awaited. Each event gets a new promise.
 * In a race with promises that live as long as the stream, the reactions of all events would stay
 * in memory until the stream ends.
 */
class Interrupts {
  private raised: Interrupt | undefined
  private interrupt: ((reason: Interrupt) => void) | undefined

  raise(reason: Interrupt): void {
    this.raised ??= reason
    this.interrupt?.(this.raised)
  }

  /** Has no effect while no event is awaited, because then the reader may be the slow side. */
  interruptWait(reason: Interrupt): void {
    this.interrupt?.(reason)
  }

  async or<T>(next: Promise<T>): Promise<T | Interrupt> {
    try {
      return await new Promise<T | Interrupt>((resolve, reject) => {
        this.interrupt = resolve
        next.then(resolve, reject)
        if (this.raised) resolve(this.raised)
      })
    } finally {
      this.interrupt = undefined
    }
  }
}

/** A slow reader gets the same time again to read the written events and the terminal event. */
function letGo(response: ServerResponse, { stall_ms, stopping }: SseOptions): void {
  const is_slow = response.writableNeedDrain
  response.end()
  if (!is_slow || response.closed) return
  const destroy = () => response.destroy()
  const limit = setTimeout(destroy, stall_ms)
  stopping.addEventListener('abort', destroy, { once: true })
  response.once('close', () => {
    clearTimeout(limit)
    stopping.removeEventListener('abort', destroy)
  })
  if (stopping.aborted) destroy()
}

function frame({ event, data, id, plain }: SseEvent, number: number | null): string {
  if (plain) return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
  const place = id ?? number
  return `${place === null ? '' : `id: ${place}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

async function drained(response: ServerResponse, limit_ms: number): Promise<boolean> {
  const stalled = timer(limit_ms)
  const settled = new AbortController()
  const { signal } = settled
  try {
    return await Promise.race([
      once(response, 'drain', { signal }).then(() => true),
      once(response, 'close', { signal }).then(() => false),
      stalled.done.then(() => false),
    ])
  } catch {
    return false
  } finally {
    settled.abort()
    stalled.cancel()
  }
}

function timer(ms: number): { done: Promise<'stalled'>; cancel(): void } {
  let cancel = () => {}
  const done = new Promise<'stalled'>(resolve => {
    const handle = setTimeout(() => resolve('stalled'), ms)
    cancel = () => clearTimeout(handle)
  })
  return { done, cancel }
}
