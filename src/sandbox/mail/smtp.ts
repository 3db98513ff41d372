/**
 * One mail provider: a real SMTP server on loopback that requires the generated credentials. It
 * offers no STARTTLS, because its certificate could not be verified, and senders would have to turn
 * verification off. A message is in the mailbox before the sender reads 250. A fault changes the
 * reply that the sender reads.
 */
import type { Server, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { refusalOf, SmtpRefusal, type MailFault, type MailFaults } from './fault.ts'
import type { Envelope, Mailbox, Request } from '../mailbox.ts'
import { parseMessage } from '../parse-mail.ts'

export type SmtpOptions = {
  provider: string
  password: string
  mailbox: Mailbox
  faults: MailFaults
}

export type Smtp = { readonly server: Server; close(): Promise<void> }

type Respond = (error?: Error | null, words?: string) => void
/** The reply to the sender: a text after 250, a refusal, or none. */
type Verdict = { say: string } | { refuse: SmtpRefusal } | 'nothing'

const size_max_bytes = 25 * 1024 * 1024
const slow_ms = 2000

export function openSmtp(options: SmtpOptions): Smtp {
  const sockets = new Map<number, Socket>()
  const held = new WeakMap<SMTPServerSession, MailFault>()
  const closing = new AbortController()
  const smtp = new SMTPServer({
    name: options.provider,
    banner: 'sandbox',
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN'],
    disableReverseLookup: true,
    size: size_max_bytes,
    socketTimeout: 600_000,
    closeTimeout: 1,
    onAuth: ({ username, password }, _session, done) => {
      const known = username === options.provider && password === options.password
      if (known) done(null, { user: options.provider })
      else done(new SmtpRefusal(535, '5.7.8 Authentication failed'))
    },
    onMailFrom: (_address, session, done) => {
      held.delete(session)
      done()
    },
    onRcptTo: ({ address }, session, done) => {
      // One rule applies to one message. A second recipient does not use up a second rule.
      const rule = held.has(session)
        ? undefined
        : options.faults.take({ provider: options.provider, to: address })
      const refusal = rule && refusalOf(rule)
      if (rule && refusal)
        record(options, envelopeOf(options, session, address), 'refused', refusal, rule)
      else if (rule) held.set(session, rule)
      done(refusal)
    },
    onData: (stream, session, respond) => {
      const rule = held.get(session)
      held.delete(session)
      const socket = sockets.get(session.remotePort)
      receive(options, stream, session, rule, socket, closing.signal).then(
        verdict => sendVerdict(verdict, respond),
        (error: unknown) => closing.signal.aborted || respond(asRefusal(error)),
      )
    },
  })
  smtp.server.on('connection', socket => {
    const port = socket.remotePort ?? 0
    sockets.set(port, socket)
    socket.once('close', () => sockets.delete(port))
  })
  // It is normal that a sender disconnects in the middle of a message.
  smtp.on('error', () => {})
  return {
    server: smtp.server,
    close: () => {
      closing.abort()
      for (const socket of sockets.values()) socket.destroy()
      return new Promise(resolve => smtp.close(() => resolve()))
    },
  }
}

function sendVerdict(verdict: Verdict, respond: Respond): void {
  if (verdict === 'nothing') return
  if ('refuse' in verdict) respond(verdict.refuse)
  else respond(null, verdict.say)
}

function asRefusal(error: unknown): SmtpRefusal {
  return error instanceof SmtpRefusal ? error : new SmtpRefusal(451, '4.3.0 Could not store it')
}

async function receive(
  options: SmtpOptions,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  rule: MailFault | undefined,
  socket: Socket | undefined,
  signal: AbortSignal,
): Promise<Verdict> {
  const envelope = envelopeOf(options, session)
  const chunks: Buffer[] = []
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk)
  if (stream.sizeExceeded) return { refuse: new SmtpRefusal(552, '5.3.4 The message is too large') }
  if (rule?.mode === 'timeout_before_accept' || rule?.mode === 'drop_connection') {
    record(options, envelope, 'discarded', null, rule)
    if (rule.mode === 'drop_connection') socket?.destroy()
    else silence(socket, rule.delay_ms)
    return 'nothing'
  }
  const raw = Buffer.concat(chunks)
  const parsed = await parseMessage(raw).catch((cause: unknown) => {
    throw new SmtpRefusal(554, `5.6.0 The message cannot be read: ${String(cause)}`.slice(0, 200))
  })
  if (rule?.mode === 'slow') await wait(rule.delay_ms ?? slow_ms, undefined, { signal })
  const { id } = options.mailbox.accept(envelope, parsed, raw)
  const silent = rule?.mode === 'timeout_after_accept'
  record(options, envelope, 'accepted', silent ? null : { responseCode: 250 }, rule, id)
  if (!silent) return { say: `2.0.0 accepted as ${id}` }
  silence(socket, rule.delay_ms)
  return 'nothing'
}

/** Sends no reply. The sender waits until it gives up or the connection is closed. */
function silence(socket: Socket | undefined, delay_ms: number | undefined): void {
  if (!socket || delay_ms === undefined) return
  const timer = setTimeout(() => socket.destroy(), delay_ms)
  socket.once('close', () => clearTimeout(timer))
}

function envelopeOf(
  { provider }: SmtpOptions,
  { envelope }: SMTPServerSession,
  recipient?: string,
): Envelope {
  return {
    provider,
    from: envelope.mailFrom ? envelope.mailFrom.address : '',
    to: recipient === undefined ? envelope.rcptTo.map(one => one.address) : [recipient],
  }
}

function record(
  { mailbox }: SmtpOptions,
  envelope: Envelope,
  outcome: Request['outcome'],
  reply: { responseCode: number } | null,
  rule: MailFault | undefined,
  message_id: string | null = null,
): void {
  const status = reply?.responseCode ?? null
  mailbox.record(envelope, { outcome, status, fault: rule?.mode ?? null, message_id })
}
