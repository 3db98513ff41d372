/**
 * The competitors, each in its own process: one room, to which each message of a client is sent,
 * stored or not.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { Server } from 'socket.io'
import { WebSocketServer, type WebSocket } from 'ws'

export type Given = {
  readonly kind: 'ws' | 'socket.io' | 'socket.io, stored'
  readonly database_url: string
}

process.once('message', (given: Given) => void serve(given))
process.once('SIGTERM', () => process.exit(0))

async function serve({ kind, database_url }: Given): Promise<void> {
  const http = createServer()
  if (kind === 'ws') {
    const room = new Set<WebSocket>()
    const server = new WebSocketServer({ server: http, perMessageDeflate: false })
    server.on('connection', socket => {
      room.add(socket)
      socket.on('close', () => room.delete(socket))
      socket.on('message', data => {
        for (const one of room) one.send(data, { binary: false })
      })
    })
  } else {
    const pool = new pg.Pool({ connectionString: database_url, max: 10 })
    if (kind === 'socket.io, stored') {
      await pool.query(
        'create table if not exists bench_messages (id bigserial primary key, body text not null)',
      )
    }
    const io = new Server(http, { transports: ['websocket'], perMessageDeflate: false })
    io.on('connection', socket => {
      void socket.join('room')
      socket.on('join', (rooms: string[]) => void socket.join(rooms))
      const store = (room: string, body: string) =>
        void pool
          .query({
            name: 'put',
            text: 'insert into bench_messages (body) values ($1)',
            values: [body],
          })
          .then(() => io.to(room).emit('m', body))
      socket.on('to', store)
      socket.on('m', (body: string) => {
        if (kind === 'socket.io') return void io.to('room').emit('m', body)
        store('room', body)
      })
    })
  }
  http.listen(0, '127.0.0.1', () => {
    process.send?.({ port: (http.address() as AddressInfo).port })
  })
}
