/**
 * A mail server that accepts everything and stores nothing. On request it reports how many mails
 * arrived, and since when.
 */
import { createServer } from 'node:net'

let mails = 0
let last_at = 0
const waiting = new Map<string, number>()

const server = createServer(socket => {
  let data = false
  let text = ''
  const say = (line: string) => socket.write(`${line}\r\n`)
  say('220 sink')
  socket.on('error', () => {})
  socket.on('data', chunk => {
    text += chunk.toString('latin1')
    for (;;) {
      if (data) {
        const end = text.indexOf('\r\n.\r\n')
        if (end < 0) return
        const marked =
          /X-Sent-At: (\S+)/.exec(text.slice(0, end))?.[1] ??
          /urgent-\d+/.exec(text.slice(0, end))?.[0]
        text = text.slice(end + 5)
        data = false
        mails++
        last_at = Date.now()
        if (marked) waiting.set(marked, last_at)
        say('250 2.0.0 taken')
        continue
      }
      const end = text.indexOf('\r\n')
      if (end < 0) return
      const verb = text.slice(0, 4).toUpperCase()
      text = text.slice(end + 2)
      if (verb === 'DATA') {
        data = true
        say('354 go on')
      } else if (verb === 'EHLO') say('250-sink\r\n250 SIZE 30000000')
      else if (verb === 'QUIT') socket.end('221 bye\r\n')
      else say('250 2.0.0 ok')
    }
  })
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as { port: number }).port })
})
process.on('message', (asked: { what: string }) => {
  if (asked.what === 'reset') {
    mails = 0
    waiting.clear()
  }
  process.send?.({ mails, last_at, urgent: Object.fromEntries(waiting) })
})
