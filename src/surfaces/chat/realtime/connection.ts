/**
 * One socket: its owner, and the frames that are sent to it. If a client reads too slowly, frames
 * without lasting value are dropped first (typing, presence, receipts). Then live messages pause.
 * When the client has caught up, it gets a frame with the revision from which to fetch. So the
 * number of bytes that wait for a socket is limited.
 */
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { newId } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import { frameOf } from './frames.ts'
import { join, leaveNow, leaveSoon } from './leaving.ts'

export type Holder = {
  readonly tenant_id: string
  readonly user_id: string
  readonly session_id: string
  readonly device_id: string | null
}

export type Limits = {
  readonly ephemeral_bytes: number
  readonly pause_bytes: number
  readonly close_bytes: number
  readonly pause_ms: number
}

export function limitsOf({ settings }: Pick<Kernel, 'settings'>): Limits {
  return {
    ephemeral_bytes: settings['chat.ephemeral_bytes'],
    pause_bytes: settings['chat.pause_bytes'],
    close_bytes: settings['chat.close_bytes'],
    pause_ms: settings['chat.pause_seconds'] * 1000,
  }
}

/** Whether the session of the holder has ended. */
type Ended = () => boolean | Promise<boolean>

const last_words_ms = 2000
const write_bytes = 64 * 1024

export class Connection {
  readonly id = newId()
  readonly holder: Holder
  readonly socket: WebSocket
  /** A client that did not offer our subprotocol gets only the frames of the specification. */
  readonly plain: boolean
  readonly opened_ms = performance.now()
  /** The time at which the peer last showed that it is connected. */
  seen_ms = performance.now()
  pinged_ms: number | null = null
  ended = false
  sends = 0
  readonly presence_of = new Set<string>()
  private readonly wire: Socket
  private readonly limits: Limits
  /**
   * While live frames pause: for each conversation, the revision from which the client must fetch.
   */
  private missed: Map<string, number> | null = null
  private paused_ms = 0
  private readonly hasEnded: Ended
  private checking = false
  private draining = false
  private queue: Buffer[] = []
  private queued_bytes = 0

  constructor(socket: WebSocket, wire: Socket, holder: Holder, limits: Limits, ended: Ended) {
    this.socket = socket
    this.hasEnded = ended
    this.wire = wire
    this.holder = holder
    this.limits = limits
    this.plain = socket.protocol === ''
  }

  get paused(): boolean {
    return this.missed !== null
  }

  reply(frame: object): void {
    if (this.put(frameOf(frame))) leaveNow(this)
  }

  ephemeral(frame: Buffer): void {
    if (this.plain || this.missed || this.waiting_bytes > this.limits.ephemeral_bytes) return
    const first = this.queue.length === 0
    if (this.put(frame) && first) leaveSoon(this)
  }

  /** `revision` is the revision of the change. The client has all earlier changes. */
  live(frame: Buffer, conversation_id: string, revision: number): void {
    if (this.missed || this.waiting_bytes > this.limits.pause_bytes) {
      this.miss(conversation_id, revision - 1)
      return
    }
    const first = this.queue.length === 0
    if (this.put(frame) && first) leaveSoon(this)
  }

  /** The client must fetch the conversation from this revision on. */
  miss(conversation_id: string, after_revision: number): void {
    // A plain client does not know how to fetch missed messages.
    if (this.plain) return this.end(4008, 'slow_consumer')
    if (!this.missed) {
      this.missed = new Map()
      this.paused_ms = performance.now()
    }
    const known = this.missed.get(conversation_id)
    this.missed.set(conversation_id, Math.min(known ?? after_revision, after_revision))
  }

  /** Ends the pause of a socket that has caught up. */
  catchUp(): void {
    if (!this.missed || this.ended) return
    if (this.waiting_bytes <= this.limits.ephemeral_bytes) {
      const missed = this.missed
      this.missed = null
      for (const [conversation_id, after_revision] of missed) {
        this.reply({ type: 'resync.required', conversation_id, after_revision })
      }
    } else if (performance.now() - this.paused_ms > this.limits.pause_ms) {
      this.end(4008, 'slow_consumer')
    }
  }

  end(code: number, reason: string): void {
    if (this.ended) return
    this.flush()
    this.ended = true
    this.queue = []
    this.socket.close(code, reason)
    // A peer that does not answer would keep the socket open for half a minute.
    const timer = setTimeout(() => this.socket.terminate(), last_words_ms)
    this.socket.once('close', () => clearTimeout(timer))
  }

  /** Frames wait while the process does not know whether the session has ended. */
  flush(): void {
    if (this.queue.length === 0 || this.checking) return
    const has_ended = this.hasEnded()
    if (has_ended instanceof Promise) return void this.flushAfter(has_ended)
    if (has_ended || this.ended || this.socket.readyState !== this.socket.OPEN) {
      this.queue = []
      this.queued_bytes = 0
      return
    }
    while (this.queue.length > 0 && !this.wire.writableNeedDrain) this.wire.write(this.nextBytes())
    if (this.queue.length === 0 || this.draining) return
    this.draining = true
    this.wire.once('drain', () => {
      this.draining = false
      this.flush()
    })
  }

  /**
   * The next queued frames, at most `write_bytes` of them. The rest waits as it is: the same bytes
   * for all readers of a conversation.
   */
  private nextBytes(): Buffer {
    let many = 0
    let bytes = 0
    for (const frame of this.queue) {
      if (many > 0 && bytes + frame.length > write_bytes) break
      bytes += frame.length
      many++
    }
    const frames = this.queue.splice(0, many)
    this.queued_bytes -= bytes
    const [first] = frames
    return first && many === 1 ? first : join(frames)
  }

  private async flushAfter(check: Promise<boolean>): Promise<void> {
    this.checking = true
    await check.catch(() => wait(500))
    this.checking = false
    this.flush()
  }

  private get waiting_bytes(): number {
    return this.wire.writableLength + this.queued_bytes
  }

  /** Returns false if the socket is closed, or is closed now because too much waits for it. */
  private put(frame: Buffer): boolean {
    if (this.ended || this.socket.readyState !== this.socket.OPEN) return false
    if (this.waiting_bytes > this.limits.close_bytes) {
      this.end(4008, 'slow_consumer')
      return false
    }
    this.queue.push(frame)
    this.queued_bytes += frame.length
    return true
  }
}
