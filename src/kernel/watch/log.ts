/**
 * Logs: JSON lines in production, readable lines in a terminal. What could identify or empower somebody
 * (credentials, codes, tokens, e-mail addresses) is taken out by path before a line is written.
 */
import { pino, type DestinationStream, type Logger } from 'pino'
import pretty from 'pino-pretty'

export type Log = Logger

const secret = ['authorization', 'cookie', 'password', 'token', 'secret', 'code', 'email', 'key']

export function openLog(options: {
  level: string
  readable: boolean
  to?: DestinationStream
}): Log {
  const destination = options.readable
    ? pretty({
        colorize: process.stdout.isTTY,
        translateTime: 'HH:MM:ss.l',
        ignore: 'pid,hostname',
        sync: true,
      })
    : options.to
  const settings = {
    level: options.level,
    redact: {
      paths: secret.flatMap(name => [name, `*.${name}`, `*.*.${name}`, `headers["${name}"]`]),
      censor: '[redacted]',
    },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return destination ? pino(settings, destination) : pino(settings)
}
