/**
 * Sends SMS with the protocol of Twilio. The vendor reports to our public URL. The URL contains the
 * ref. If the reply to a send was lost, the message is searched in the vendor's list of messages to
 * that number.
 */
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { openUpstream, UpstreamFailure, type UpstreamResponse } from '#dodeca/kernel'
import { storedId, type Outcome, type Outgoing, type Provider, type SentWithin } from './outcome.ts'

export type TwilioOptions = {
  readonly name: string
  /** A URL with the account and its token, and `?from=`. */
  readonly url: string
  readonly public_url: string
  readonly connections: number
}

const Created = Type.Object({ sid: Type.String({ maxLength: 64 }) })
const Refused = Type.Object({ code: Type.Integer() })
const Text = Type.Union([Type.String(), Type.Null()])
const Message = Type.Object({
  sid: Type.String({ maxLength: 64 }),
  body: Type.String(),
  from: Type.Optional(Text),
  direction: Type.Optional(Text),
  date_created: Type.Optional(Text),
})
type Message = Static<typeof Message>
const Listed = Type.Object({
  messages: Type.Array(Message),
  next_page_uri: Type.Optional(Text),
})
/** How far our clock and that of the vendor may differ. */
const skew_ms = 60_000
const deadline_ms = 15_000
const refusals: Readonly<Record<number, Outcome>> = {
  21211: { kind: 'refused', code: 'invalid_destination', suppress: 'invalid_destination' },
  21610: { kind: 'refused', code: 'destination_gone', suppress: 'stop_keyword' },
  21614: { kind: 'refused', code: 'invalid_destination', suppress: 'invalid_destination' },
  21617: { kind: 'refused', code: 'message_too_large' },
}

export function openTwilio({ name, url, public_url, connections }: TwilioOptions): Provider {
  const { origin, username, password, searchParams } = new URL(url)
  const sid = decodeURIComponent(username)
  const path = `/2010-04-01/Accounts/${encodeURIComponent(sid)}/Messages.json`
  const token = Buffer.from(`${sid}:${decodeURIComponent(password)}`).toString('base64')
  const headers = { authorization: `Basic ${token}` }
  // In a query a plus means a space, and `?from=+15550100` is the natural way to write it.
  const from = (searchParams.get('from') ?? '').replace(/^ (?=\d)/, '+')
  const upstream = openUpstream({ name, base_url: origin, connections, retries: 0 })
  return {
    name,
    channel: 'sms',
    reaches: '',
    connections,
    send: async ({ ref, to, message }, signal) => {
      const report = `${public_url}/v1/providers/${name}/webhooks?ref=${encodeURIComponent(ref)}`
      const form = new URLSearchParams({
        To: to,
        From: from,
        Body: message.text,
        StatusCallback: report,
      })
      try {
        const answer = await upstream.call({
          method: 'POST',
          path,
          headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          body: form.toString(),
          idempotent: false,
          deadline_ms,
          signal,
        })
        return outcomeOf(answer)
      } catch (error) {
        return failureOf(error)
      }
    },
    find: async ({ to, message }: Outgoing, sent) => {
      // A filter by the time of sending could leave out what the vendor has not sent yet.
      const query = new URLSearchParams({ To: to, PageSize: '100' })
      const call = {
        method: 'GET',
        path: `${path}?${query}`,
        headers,
        idempotent: true,
        deadline_ms,
      }
      const answer = await upstream.call(call).catch(() => null)
      const found = answer?.status === 200 ? json(answer) : null
      if (!Value.Check(Listed, found)) return null
      const ours = found.messages.filter(
        one => one.body === message.text && !isOfAnotherProgram(one, from, sent),
      )
      const is_whole = !found.next_page_uri || found.messages.some(one => isBefore(one, sent))
      // Ours may be on a page that was not read. The newest messages are on the first one.
      if (ours.length === 0 && !is_whole) return null
      return ours.map(one => one.sid)
    },
    close: () => upstream.close(),
  }
}

/**
 * Another program may use the account, with the same text. Its message is not ours if it has another
 * sender number, was not made through the API, or was made at another time. What the vendor does not
 * say excludes nothing, because a message must not be sent twice.
 */
function isOfAnotherProgram(one: Message, own: string, sent: SentWithin): boolean {
  const { from, direction } = one
  if (direction && direction !== 'outbound-api') return true
  if (from && isNumber(from) && isNumber(own) && digitsOf(from) !== digitsOf(own)) return true
  return isBefore(one, sent) || createdAt(one) > sent.until_ms + skew_ms
}

/** False if the vendor does not say when it was made. */
function isBefore(one: Message, { from_ms }: SentWithin): boolean {
  return createdAt(one) < from_ms - skew_ms
}

const createdAt = ({ date_created }: Message) => Date.parse(date_created ?? '')

const isNumber = (text: string) => /^\+?[\d ()-]+$/.test(text)
const digitsOf = (text: string) => text.replaceAll(/\D/g, '')

function outcomeOf(answer: UpstreamResponse): Outcome {
  const body = json(answer)
  if (answer.status === 201 && Value.Check(Created, body)) {
    return { kind: 'accepted', provider_message_id: storedId(body.sid) }
  }
  if (answer.status < 300) return { kind: 'unknown', code: 'provider_unavailable' }
  if (answer.status === 401 || answer.status === 403) {
    return { kind: 'failed', code: 'provider_auth_failed' }
  }
  const known = Value.Check(Refused, body) ? refusals[body.code] : undefined
  return known ?? { kind: 'refused', code: 'content_rejected' }
}

/**
 * Any reply, even an error, means that nothing was accepted. Only a missing reply leaves the
 * outcome unknown.
 */
function failureOf(error: unknown): Outcome {
  if (!(error instanceof UpstreamFailure)) throw error
  const { reason, status, ambiguous, retry_after_seconds } = error
  if (reason === 'circuit_open') return { kind: 'failed', code: 'circuit_open' }
  if (status === 429) return { kind: 'failed', code: 'provider_rate_limited', retry_after_seconds }
  if (status !== null) return { kind: 'failed', code: 'provider_unavailable', retry_after_seconds }
  const code = reason === 'timeout' ? 'provider_timeout' : 'provider_unavailable'
  return ambiguous ? { kind: 'unknown', code } : { kind: 'failed', code }
}

function json({ body }: UpstreamResponse): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
