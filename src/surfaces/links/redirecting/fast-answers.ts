/**
 * Replies from the cache. A reply reads the clock once, and uses no promise, no parsing and no
 * write. An entry is valid until its own time has passed or the process's lease has ended.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Kernel } from '../settings.ts'
import { absentResponder, type AbsentResponder } from './absent-responder.ts'
import type { Asking } from './asking.ts'
import type { Host } from '../cache/hosts.ts'
import type { Misses } from './misses.ts'
import type { RedirectNode } from '../cache/node.ts'

export type FastDeps = Pick<RedirectNode, 'lease' | 'memory' | 'recorder'> & {
  readonly kernel: Kernel
  readonly misses: Misses
  readonly asking: Asking
}

/** The parts of a request: its host, the path (`/code`), and the query after the question mark. */
export type Place = { readonly host: Host; readonly path: string; readonly query: string }

export class FastAnswers {
  /** The number of replies so far, by kind. */
  redirects = 0
  absent = 0
  private readonly deps: FastDeps
  private readonly sendAbsent: AbsentResponder
  private offset_seconds: number

  constructor(deps: FastDeps) {
    this.deps = deps
    this.sendAbsent = absentResponder(deps.kernel)
    this.offset_seconds = deps.kernel.clock.offsetSeconds()
  }

  /** Returns false if the request needs a full check. */
  answer(request: IncomingMessage, response: ServerResponse, place: Place): boolean {
    const { lease, memory, kernel, recorder, asking } = this.deps
    const { host, path } = place
    if (kernel.clock.offsetSeconds() !== this.offset_seconds) this.forgetLives()
    const entry = memory.get(host.prefix === '' ? path : host.prefix + path)
    if (entry === undefined) return false
    const now_ms = performance.now()
    if (now_ms >= entry.until_ms || !lease.holds(now_ms)) return false
    const { ready } = entry
    if (ready === null) {
      return entry.target === null && this.answerAbsent(request, response, place, now_ms)
    }
    lease.used = true
    this.redirects++
    // The type of node:http declares the list as writable, but node:http only reads it.
    response.writeHead(ready.status, ready.headers as string[])
    response.end()
    recorder.record(entry, asking.visitor(request, place.query), kernel.clock.nowMs())
    return true
  }

  private answerAbsent(
    request: IncomingMessage,
    response: ServerResponse,
    { host, path }: Place,
    now_ms: number,
  ): boolean {
    const { lease, memory, misses, asking } = this.deps
    if (asking.seen.accept.includes('text/html')) return false
    const small = path.toLowerCase()
    if (small !== path) {
      const other = memory.get(host.prefix + small)
      if (!other || other.target !== null || now_ms >= other.until_ms) return false
    }
    const address = asking.address(request)
    if (misses.refused(address)) return false
    misses.count(address)
    lease.used = true
    this.absent++
    this.sendAbsent(request, response, path)
    return true
  }

  /**
   * Clears the cache after the development clock was moved, because the remaining lives were
   * computed with the old time.
   */
  private forgetLives(): void {
    this.offset_seconds = this.deps.kernel.clock.offsetSeconds()
    this.deps.memory.clear()
  }
}
