/**
 * Logs: JSON lines in production, readable lines in a terminal. What could identify or empower somebody
 * (credentials, codes, tokens, e-mail addresses) is taken out by path before a line is written.
 */
import { pino, type DestinationStream, type Logger } from 'pino'
import pretty from 'pino-pretty'

export type Log = Logger

const secret = ['authorization', 'cookie', 'password', 'token', 'secret', 'code', 'email', 'key']

/** The code of an error (a SQLSTATE, an errno) is no secret, but is called as one is: it gets another name. */
function told(error: Error): object {
  const { code, ...rest } = pino.stdSerializers.err(error)
  return typeof code === 'string' ? { ...rest, error_code: code } : rest
}

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
    serializers: { err: told },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return destination ? pino(settings, destination) : pino(settings)
}
