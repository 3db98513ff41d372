/**
 * Sends a stream of bytes to clamd (INSTREAM). It reads the reply while it writes the bytes, and also
 * after a write has failed, because a daemon that stops early has a verdict. Anything but a clear
 * verdict is an outage, never "clean".
 */
import { once } from 'node:events'
import { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'

export type ScanVerdict =
  | { readonly kind: 'clean' }
  | { readonly kind: 'found'; readonly name: string }
  | { readonly kind: 'limit_exceeded' }

export type ScannerVersion = { readonly version: string; readonly signatures: string | null }

export type Clamd = {
  scan(content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<ScanVerdict>
  version(signal: AbortSignal): Promise<ScannerVersion>
}

export class ScannerUnavailable extends Error {
  override readonly name = 'ScannerUnavailable'
}

const chunk_max = 1024 * 1024
const reply_max = 4096

/** `address`: host:port, or the path of a socket. */
export function openClamd(address: string): Clamd {
  const match = /^(.*):(\d+)$/.exec(address)
  const target =
    match?.[1] && match[2]
      ? { host: match[1].replaceAll(/^\[|\]$/g, ''), port: Number(match[2]) }
      : { path: address }
  const asking = async <T>(
    signal: AbortSignal,
    ask: (socket: Socket) => Promise<T>,
  ): Promise<T> => {
    const socket = new ScannerSocket().connect(target)
    // Between two waits an error has no other listener, and would end the process.
    socket.on('error', () => {})
    const abort = () => socket.destroy(new Error('the scan took too long'))
    signal.addEventListener('abort', abort, { once: true })
    try {
      signal.throwIfAborted()
      await once(socket, 'connect', { signal })
      return await ask(socket)
    } catch (error) {
      if (error instanceof ScannerUnavailable) throw error
      throw new ScannerUnavailable('the scanner did not answer', { cause: error })
    } finally {
      signal.removeEventListener('abort', abort)
      socket.destroy()
    }
  }
  return {
    scan: (content, signal) => asking(signal, socket => stream(socket, content)),
    version: signal =>
      asking(signal, async socket => {
        socket.write('zVERSION\0')
        const [version = '', signatures] = (await replyOf(socket)).split('/')
        return { version: version.slice(0, 100), signatures: signatures?.slice(0, 100) ?? null }
      }),
  }
}

async function stream(socket: Socket, content: AsyncIterable<Uint8Array>): Promise<ScanVerdict> {
  let replied = false
  const reply = replyOf(socket).finally(() => {
    replied = true
  })
  reply.catch(() => {})
  socket.write('zINSTREAM\0')
  for await (const piece of content) {
    for (let at = 0; at < piece.byteLength && !replied; at += chunk_max) {
      await writeChunk(socket, piece.subarray(at, at + chunk_max), reply)
    }
    if (replied) break
  }
  if (!replied) socket.write(Buffer.alloc(4))
  return verdictOf(await reply)
}

async function writeChunk(socket: Socket, chunk: Uint8Array, reply: Promise<string>) {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(chunk.byteLength)
  socket.cork()
  socket.write(length)
  const taken = socket.write(chunk)
  socket.uncork()
  // A daemon that has a verdict reads no further.
  if (!taken) await Promise.race([once(socket, 'drain'), reply])
  // Reads what the daemon has written, so that a verdict ends the sending soon.
  await setImmediate()
}

type Done = (error?: Error | null) => void

/**
 * A daemon that has its verdict replies and closes, also between two of our writes. Such a write
 * fails and would destroy the socket with the reply unread. So the failure is left out here: the
 * socket still delivers the reply, and then its end.
 */
class ScannerSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, done: Done): void {
    // oxlint-disable-next-line no-underscore-dangle -- Node's name for what a stream overrides
    super._write(chunk, encoding, unlessClosed(done))
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], done: Done): void {
    // oxlint-disable-next-line no-underscore-dangle -- Node's name for what a stream overrides
    super._writev?.(chunks, unlessClosed(done))
  }
}

function unlessClosed(done: Done): Done {
  return error => {
    const { code } = (error ?? {}) as NodeJS.ErrnoException
    done(code === 'EPIPE' || code === 'ECONNRESET' ? null : error)
  }
}

function replyOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      const end = text.indexOf('\0')
      if (end !== -1) resolve(text.slice(0, end).trim())
      else if (text.length > reply_max) reject(new ScannerUnavailable('the reply is too long'))
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new ScannerUnavailable('the scanner closed the connection')))
  })
}

function verdictOf(reply: string): ScanVerdict {
  if (/size limit exceeded/i.test(reply)) return { kind: 'limit_exceeded' }
  if (reply === 'stream: OK') return { kind: 'clean' }
  const name = /^stream: (.+) FOUND$/.exec(reply)?.[1]
  if (!name) throw new ScannerUnavailable(`the scanner replied: ${reply.slice(0, 200)}`)
  return name.startsWith('Heuristics.Limits.Exceeded')
    ? { kind: 'limit_exceeded' }
    : { kind: 'found', name: name.slice(0, 200) }
}
