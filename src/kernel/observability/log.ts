/**
 * Logs: JSON lines in production, readable lines in a terminal. Personal data and secrets
 * (credentials, codes, tokens, e-mail addresses) are removed by path before a line is written.
 */
import { pino, type DestinationStream, type Logger } from 'pino'
import pretty from 'pino-pretty'

export type Log = Logger

const secret = ['authorization', 'cookie', 'password', 'token', 'secret', 'code', 'email', 'key']

const of_errors =
  'type name message stack statusCode syscall severity schema table column constraint routine'.split(
    ' ',
  )

/**
 * Logs only those fields of an error that are known to be harmless. A driver attaches its
 * connection (with the key that cancels statements) and values of rows. The code (a SQLSTATE, an
 * errno) gets a field name that the filter does not mistake for a secret.
 */
function harmless(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const whole: Record<string, unknown> = pino.stdSerializers.err(error)
  const shown = of_errors.filter(name => whole[name] !== undefined)
  const { code } = whole
  return {
    ...Object.fromEntries(shown.map(name => [name, whole[name]])),
    ...(typeof code === 'string' ? { error_code: code } : {}),
    ...(error instanceof AggregateError ? { errors: error.errors.map(harmless) } : {}),
  }
}

export function openLog(options: {
  level: string
  readable: boolean
  /** The number of this process, if several processes write to one log. */
  process?: number | undefined
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
    serializers: { err: harmless },
    base: options.process === undefined ? null : { process: options.process },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return destination ? pino(settings, destination) : pino(settings)
}
