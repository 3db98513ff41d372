/** A reader may leave before its first event is written. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { writeEvents, type SseEvent } from '../streams/sse.ts'

test('a reader that left while its stream was opened ends the stream', async () => {
  const stopping = new AbortController().signal
  const reasons: string[] = []
  const written = Promise.withResolvers<unknown>()
  const server = createServer((_request, response) => {
    response.once('close', () => {
      const options = { heartbeat_ms: 60_000, stall_ms: 60_000, may_be_quiet: true, stopping }
      const abort = (reason: string) => void reasons.push(reason)
      writeEvents(response, quiet(), { ...options, abort }).then(written.resolve, written.reject)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nhost: dodeca.test\r\n\r\n')
  await once(server, 'request')
  socket.destroy()
  await written.promise
  expect(reasons).toEqual(['gone'])
  server.close()
})

/** Nothing ever happens on the resource that it watches. */
async function* quiet(): AsyncGenerator<SseEvent> {
  await new Promise(() => {})
  yield { event: 'never', data: {} }
}
