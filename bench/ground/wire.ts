/**
 * One keep-alive connection with one request at a time. It costs a tenth of fetch, so that a client
 * on the server's machine disturbs the measurement little.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { answerLength } from './load-process.ts'

export type Wire = {
  ask(request: string): Promise<{ status: number; body: string }>
  close(): void
}

export async function openWire(port: number): Promise<Wire> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  let rest = ''
  let answered: ((text: string) => void) | undefined
  let failed: ((error: Error) => void) | undefined
  socket.on('data', (text: string) => {
    rest += text
    const length = answerLength(rest)
    if (length === null || rest.length < length) return
    const answer = rest.slice(0, length)
    rest = rest.slice(length)
    answered?.(answer)
  })
  socket.on('error', error => failed?.(error))
  socket.on('close', () => failed?.(new Error('the platform closed the connection')))
  return {
    ask: async request => {
      const text = await new Promise<string>((resolve, reject) => {
        answered = resolve
        failed = reject
        socket.write(request)
      })
      return { status: Number(text.slice(9, 12)), body: text.slice(text.indexOf('\r\n\r\n') + 4) }
    },
    close: () => socket.destroy(),
  }
}
