/**
 * Keeps one socket connected. Each connection gets a new token. The wait between attempts doubles
 * and has jitter. If nothing was received for a while, the link sends a ping, because the loss
 * of a network closes no socket.
 */
import type { SocketClass } from './chat-types.ts'

export type Frame = Readonly<Record<string, unknown>> & { readonly type: string }

export type LinkOptions = {
  readonly base_url: string
  readonly wait_ms_max: number
  readonly WebSocket: SocketClass | undefined
  token(): Promise<string>
  /** Whether further attempts are useless. */
  isFinal(error: unknown): boolean
  frame(frame: Frame): void
  /** `retry_ms` is the time until the next attempt. Null if there is no further attempt. */
  lost(reason: string, retry_ms: number | null): void
}

const protocol = 'realtime.v1'
const first_wait_ms = 500
/** The time that the platform may take to reply. */
export const answer_ms = 10_000
const open_state = 1
/** A browser reports the loss and the return of its network. Node does not. */
const page = globalThis as unknown as Partial<EventTarget>

function socketClass(given: SocketClass | undefined): SocketClass {
  const found: SocketClass | undefined = given ?? globalThis.WebSocket
  if (found) return found
  throw new TypeError(
    'This runtime has no WebSocket. Use Node 22 or newer, or pass the class of the package ws: connect({ WebSocket }).',
  )
}

export class Link {
  private readonly options: LinkOptions
  private readonly Socket: SocketClass
  private socket: WebSocket | null = null
  private heartbeat_ms = 25_000
  private attempt = 0
  private failures = 0
  /** The wait that a stopping process requested. */
  private asked_ms: number | null = null
  private retry: ReturnType<typeof setTimeout> | undefined
  private pulse: ReturnType<typeof setTimeout> | undefined
  private closed = false

  constructor(options: LinkOptions) {
    this.options = options
    this.Socket = socketClass(options.WebSocket)
    page.addEventListener?.('online', this.hurry)
    page.addEventListener?.('offline', this.cut)
    void this.open()
  }

  /** Increases with each connection. Results of an earlier connection are ignored. */
  get turn(): number {
    return this.attempt
  }

  send(frame: object): void {
    if (this.socket?.readyState === open_state) this.socket.send(JSON.stringify(frame))
  }

  /** The connection works, so the next wait is short again. */
  steady(heartbeat_ms: number): void {
    this.heartbeat_ms = heartbeat_ms
    this.failures = 0
  }

  /** Gives up this connection and opens the next one after a wait. */
  drop(reason: string, final = false): void {
    this.leave()
    if (this.closed) return
    if (final) {
      this.close()
      return this.options.lost(reason, null)
    }
    const most = Math.min(this.options.wait_ms_max, first_wait_ms * 2 ** this.failures++)
    const retry_ms = this.asked_ms ?? Math.round((0.5 + Math.random() / 2) * most)
    this.asked_ms = null
    this.retry = setTimeout(() => void this.open(), retry_ms)
    this.options.lost(reason, retry_ms)
  }

  close(): void {
    this.closed = true
    page.removeEventListener?.('online', this.hurry)
    page.removeEventListener?.('offline', this.cut)
    this.leave()
  }

  private leave(): void {
    const { socket } = this
    this.socket = null
    this.attempt++
    clearTimeout(this.pulse)
    clearTimeout(this.retry)
    socket?.close()
  }

  private async open(): Promise<void> {
    const attempt = ++this.attempt
    let token: string
    try {
      token = await this.options.token()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (attempt === this.attempt) this.drop(reason, this.options.isFinal(error))
      return
    }
    if (attempt !== this.attempt) return
    const base = this.options.base_url.replace(/^http/, 'ws').replace(/\/$/, '')
    const protocols = [protocol, `token.${token}`]
    const socket = new this.Socket(`${base}/v1/realtime`, protocols) as WebSocket
    this.socket = socket
    this.expectAnswer()
    socket.addEventListener('message', ({ data }) => {
      if (this.socket === socket) this.take(JSON.parse(String(data)) as Frame)
    })
    // `close` follows. Without a listener an error of `ws` would end the process.
    socket.addEventListener('error', () => {})
    socket.addEventListener('close', ({ code, reason }) => {
      if (this.socket === socket) this.drop(reason || `closed with ${code}`)
    })
  }

  private take(frame: Frame): void {
    clearTimeout(this.pulse)
    this.pulse = setTimeout(() => {
      this.send({ type: 'ping' })
      this.expectAnswer()
    }, this.heartbeat_ms)
    if (frame.type === 'server.draining') this.asked_ms = Number(frame['reconnect_after_ms'])
    this.options.frame(frame)
  }

  private expectAnswer(): void {
    clearTimeout(this.pulse)
    this.pulse = setTimeout(() => this.drop('the platform does not answer'), answer_ms)
  }

  private readonly cut = (): void => {
    if (this.socket) this.drop('the network is gone')
  }

  private readonly hurry = (): void => {
    if (this.socket) return
    clearTimeout(this.retry)
    this.failures = 0
    void this.open()
  }
}
