/**
 * Sends mails over one relay. The Message-ID is made from the ref, so that a duplicate mail can be
 * recognized after an unknown outcome. If the connection breaks before the relay asks for the
 * message (354), nothing was sent. If the relay refuses the message, nothing was accepted. If the
 * connection breaks after 354, the outcome is unknown.
 */
import { Readable } from 'node:stream'
import Dkim from 'nodemailer/lib/dkim'
import MailComposer from 'nodemailer/lib/mail-composer'
import { newNonce } from '#dodeca/kernel'
import type { Outcome, Outgoing, Provider } from './outcome.ts'
import { openSmtpConnections, type SmtpConnections } from './smtp-connections.ts'

export type SmtpOptions = {
  readonly name: string
  readonly url: string
  readonly from: string
  /** The host name in message ids and in EHLO. */
  readonly host: string
  readonly connections: number
  readonly dkim: { domainName: string; keySelector: string; privateKey: string } | null
}

/** The headers that a signature covers. RFC 8058 requires both for unsubscribing. */
const signed_headers = [
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type',
  'Content-Transfer-Encoding:In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post',
].join(':')

export function openDkim(options: NonNullable<SmtpOptions['dkim']>): Dkim {
  return new Dkim({ ...options, headerFieldNames: signed_headers })
}

export function openSmtp(options: SmtpOptions): Provider {
  const { name, connections } = options
  const relay = openSmtpConnections(new URL(options.url), options.host)
  const dkim = options.dkim && openDkim(options.dkim)
  const from = senderOf(options.from)
  return {
    name,
    channel: 'email',
    reaches: '',
    connections,
    send: async (outgoing, signal) => {
      const bytes = await compose(options, dkim, outgoing)
      const envelope = { from, to: [outgoing.to] }
      let connection
      try {
        connection = await relay.take(signal)
      } catch (error) {
        return outcomeOf(error as SmtpError, false)
      }
      return handOver(relay, connection, envelope, bytes, signal)
    },
    close: async () => relay.close(),
  }
}

/** The address that the relay sends bounces to. */
function senderOf(from: string): string | false {
  return new MailComposer({ from }).compile().getEnvelope().from
}

export async function compose(
  { from, host }: Pick<SmtpOptions, 'from' | 'host'>,
  dkim: Dkim | null,
  { ref, to, message, category, unsubscribe_url, created_at }: Outgoing,
): Promise<Buffer> {
  const { subject, text, html, locale } = message
  const node = new MailComposer({
    from,
    // An object, because a string would be parsed as a list of addresses.
    to: [{ name: '', address: to }],
    subject: subject ?? '',
    text,
    ...(html === null ? {} : { html }),
    // Unpredictable, so that no text can contain it and begin a part of its own.
    baseBoundary: newNonce().toString('hex'),
    date: new Date(created_at),
    messageId: `<${ref}@${host}>`,
    disableFileAccess: true,
    disableUrlAccess: true,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'Content-Language': locale,
      'X-Category': category,
      ...(unsubscribe_url === null
        ? {}
        : {
            'List-Unsubscribe': { prepared: true, value: `<${unsubscribe_url}>` },
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
    },
  }).compile()
  const plain = await node.build()
  return dkim ? collect(dkim.sign(plain)) : plain
}

async function collect(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array))
  return Buffer.concat(chunks)
}

type Connection = Awaited<ReturnType<SmtpConnections['take']>>
type Envelope = { readonly from: string | false; readonly to: string[] }

function handOver(
  relay: SmtpConnections,
  connection: Connection,
  envelope: Envelope,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<Outcome> {
  // The message is read from here after the relay has asked for it.
  let begun = false
  const message = new Readable({
    read() {
      begun = true
      this.push(bytes)
      this.push(null)
    },
  })
  return new Promise(resolve => {
    // A connection that we close never calls its callback.
    const abort = () => {
      relay.drop(connection)
      resolve(outcomeOf(Object.assign(new Error('aborted'), { code: 'ETIMEDOUT' }), begun))
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    connection.send({ ...envelope, size: bytes.length }, message, (error, info) => {
      signal.removeEventListener('abort', abort)
      if (!error) {
        relay.give(connection)
        const id = /\bqueued as ([\w.-]+)|\baccepted as ([\w.-]+)/i.exec(info?.response ?? '')
        return resolve({ kind: 'accepted', provider_message_id: id?.[1] ?? id?.[2] ?? null })
      }
      const failure = error as SmtpError
      // After a refused recipient, the session can be used again with RSET.
      if (failure.responseCode && failure.responseCode !== 421) {
        connection.reset(refused => (refused ? relay.drop(connection) : relay.give(connection)))
      } else relay.drop(connection)
      resolve(outcomeOf(failure, begun))
    })
  })
}

type SmtpError = Error & {
  code?: string
  command?: string
  responseCode?: number
  response?: string
}

/** `begun` means that the relay had asked for the message. */
function outcomeOf(error: SmtpError, begun: boolean): Outcome {
  const { code, command, responseCode, response = '' } = error
  if (code === 'EAUTH') return { kind: 'failed', code: 'provider_auth_failed' }
  if (!responseCode) {
    const reason = code === 'ETIMEDOUT' ? 'provider_timeout' : 'provider_unavailable'
    return begun ? { kind: 'unknown', code: reason } : { kind: 'failed', code: reason }
  }
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})/.exec(response)?.[1] ?? ''
  if (responseCode < 500) {
    if (enhanced === '4.2.2') return { kind: 'failed', code: 'mailbox_full', at_destination: true }
    const limited = responseCode === 450 && enhanced.startsWith('4.7')
    return { kind: 'failed', code: limited ? 'provider_rate_limited' : 'provider_unavailable' }
  }
  // A bare 550 to the recipient means an unknown mailbox. To the sender or to the message it says
  // nothing about the address.
  const unknown_mailbox = responseCode === 550 && enhanced === '' && command === 'RCPT TO'
  if (/^5\.1\.[1236]$/.test(enhanced) || unknown_mailbox) {
    return { kind: 'refused', code: 'invalid_destination', suppress: 'hard_bounce' }
  }
  if (enhanced === '5.2.2') return { kind: 'refused', code: 'mailbox_full' }
  if (responseCode === 552 || enhanced === '5.3.4') {
    return { kind: 'refused', code: 'message_too_large' }
  }
  return { kind: 'refused', code: 'content_rejected' }
}
