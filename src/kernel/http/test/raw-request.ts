/** Sends bytes as they are, such as no client library would send; answers what came back. */
import { once } from 'node:events'
import { connect } from 'node:net'

export async function rawRequest(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(text)
  let received = ''
  for await (const part of socket) {
    received += String(part)
    const [head = '', ...rest] = received.split('\r\n\r\n')
    const length = /content-length: (\d+)/i.exec(head)?.[1]
    if (length && rest.join('\r\n\r\n').length >= Number(length)) break
  }
  socket.destroy()
  return received
}
