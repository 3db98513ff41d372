/**
 * Connections to one mail relay: opened when needed, used for one message at a time, and kept for a
 * while. We use connections of nodemailer but not its pool. Its pool sends a message again when a
 * connection drops, and then it is unknown whether the message was sent once or twice.
 */
import SMTPConnection from 'nodemailer/lib/smtp-connection'

export type SmtpConnections = {
  /** Resolves with a connection that is logged in. The caller must return it or drop it. */
  take(signal: AbortSignal): Promise<SMTPConnection>
  give(connection: SMTPConnection): void
  drop(connection: SMTPConnection): void
  close(): void
}

const idle_ms = 20_000
const messages_max = 500
const timeouts = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 60_000,
  dnsTimeout: 5000,
}

type Kept = { readonly connection: SMTPConnection; readonly since: number }

export function openSmtpConnections(url: URL, name: string): SmtpConnections {
  const idle: Kept[] = []
  const used = new WeakMap<SMTPConnection, number>()
  const all = new Set<SMTPConnection>()
  const drop = (connection: SMTPConnection) => {
    all.delete(connection)
    connection.close()
  }
  const sweep = setInterval(() => {
    while (idle[0] && performance.now() - idle[0].since > idle_ms) {
      const old = idle.shift()
      if (old) leave(old.connection)
    }
  }, idle_ms / 4)
  sweep.unref()
  const leave = (connection: SMTPConnection) => {
    all.delete(connection)
    connection.quit()
  }
  return {
    take: async signal => {
      for (let kept = idle.pop(); kept; kept = idle.pop()) {
        if (all.has(kept.connection)) return kept.connection
      }
      signal.throwIfAborted()
      const connection = await connect(url, name, signal)
      all.add(connection)
      // A relay that closes an idle connection has not failed.
      connection.on('error', () => void all.delete(connection))
      connection.on('end', () => void all.delete(connection))
      return connection
    },
    give: connection => {
      const sent = (used.get(connection) ?? 0) + 1
      used.set(connection, sent)
      if (sent >= messages_max) leave(connection)
      else if (all.has(connection)) idle.push({ connection, since: performance.now() })
    },
    drop,
    close: () => {
      clearInterval(sweep)
      for (const connection of all) drop(connection)
    },
  }
}

function connect(url: URL, name: string, signal: AbortSignal): Promise<SMTPConnection> {
  const secure = url.protocol === 'smtps:'
  const loopback = /^(127\.|localhost$|\[::1\]$)/.test(url.hostname)
  const connection = new SMTPConnection({
    host: url.hostname,
    port: Number(url.port || (secure ? 465 : 587)),
    secure,
    // A password is never sent unencrypted over a network.
    requireTLS: !secure && !loopback && url.username !== '',
    name,
    ...timeouts,
  })
  const { promise, resolve, reject } = Promise.withResolvers<SMTPConnection>()
  const fail = (error: unknown) => {
    connection.close()
    reject(error instanceof Error ? error : new Error(String(error)))
  }
  const abort = () => fail(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  connection.once('error', fail)
  const ready = () => {
    signal.removeEventListener('abort', abort)
    connection.off('error', fail)
    resolve(connection)
  }
  connection.connect((error?: Error | null) => {
    // The relay closed the connection before its greeting.
    if (error) return fail(error)
    if (url.username === '') return ready()
    const credentials = {
      user: decodeURIComponent(url.username),
      pass: decodeURIComponent(url.password),
    }
    connection.login({ credentials }, error => (error ? fail(error) : ready()))
  })
  return promise
}
