/**
 * The six schemes, by name. The reply of each is the one that its provider documents; those with
 * more code have a file.
 */
import { verifyGithub, verifySlack, verifyStripe, verifyTwilio } from '#dodeca/kernel'
import type { SchemeName } from '../schemas.ts'
import { genericHmac } from './generic-hmac.ts'
import { envelopeOf, formOf, hashOf, headerOf, jsonOf, typeOf, type Members } from './read.ts'
import type { Incoming, Scheme } from './scheme.ts'
import { standard } from './standard.ts'

/** The id of a message is the id of Stripe's event. */
const stripe: Scheme = {
  name: 'stripe',
  verify: (message, trust) => verifyStripe({ ...message, ...trust }),
  envelope: ({ body }) => {
    const event = jsonOf(body)
    return envelopeOf(event?.['id'], event?.['type'])
  },
  identified: () => 'in the member id of a JSON object',
  received: {
    status: 200,
    body: '{"received":true}',
    media_type: 'application/json; charset=utf-8',
  },
}

/**
 * GitHub signs neither a time nor the id of the delivery. Only the stored ids prevent a message from
 * being processed twice, so the ids are kept for a long time.
 */
const github: Scheme = {
  name: 'github',
  verify: (message, trust) => verifyGithub({ ...message, ...trust }),
  envelope: ({ headers }) =>
    envelopeOf(headerOf(headers, 'x-github-delivery'), headerOf(headers, 'x-github-event')),
  identified: () => 'in the header X-GitHub-Delivery',
  received: { status: 202, body: null },
}

/**
 * Slack's events are JSON with an id, its commands and interactions forms without one. When you
 * register a URL, Slack sends a signed challenge, which is returned.
 */
const slack: Scheme = {
  name: 'slack',
  verify: (message, trust) => verifySlack({ ...message, ...trust }),
  envelope: message => {
    const content = contentOf(message)
    const timestamp = headerOf(message.headers, 'x-slack-request-timestamp') ?? ''
    if (!content) return null
    const { event } = content as { event?: Members | null } // of any type; members are read with checks
    const type = event?.['type'] ?? content['type'] ?? content['command']
    return envelopeOf(content['event_id'] ?? hashOf(timestamp, '.', message.body), type)
  },
  identified: () => 'in a JSON object, or a form',
  received: { status: 200, body: '', media_type: 'text/plain' },
  greets: message => {
    const content = contentOf(message)
    const challenge = content?.['type'] === 'url_verification' ? typeOf(content['challenge']) : null
    if (challenge === null) return null
    const body = JSON.stringify({ challenge })
    return { status: 200, body, media_type: 'application/json; charset=utf-8' }
  },
}

function contentOf({ headers, body }: Incoming): Members | null {
  const type = headerOf(headers, 'content-type') ?? ''
  if (!type.startsWith('application/x-www-form-urlencoded')) return jsonOf(body)
  const form = formOf(body)
  const payload = form.get('payload')
  return payload === null ? Object.fromEntries(form) : jsonOf(Buffer.from(payload))
}

/**
 * Twilio's messages are forms about a resource (a message, a call) that changes its status. If no
 * token identifies a message, its id consists of the resource and its status. The reply is an empty
 * TwiML document.
 */
const twilio: Scheme = {
  name: 'twilio',
  verify: (message, trust) => verifyTwilio({ ...message, ...trust }),
  envelope: ({ headers, body }) => {
    const form = formOf(body)
    const first = (...names: string[]) => names.map(name => form.get(name)).find(Boolean) ?? null
    const thing = first('MessageSid', 'CallSid', 'SmsSid', 'Sid')
    const status = first('MessageStatus', 'CallStatus', 'SmsStatus', 'Status')
    const given = headerOf(headers, 'i-twilio-idempotency-token')
    return envelopeOf(given ?? (thing ? `${thing}:${status ?? ''}` : hashOf(body)), status)
  },
  identified: () => 'in the form, or the header I-Twilio-Idempotency-Token',
  received: { status: 200, body: '<Response/>', media_type: 'text/xml; charset=utf-8' },
}

export const schemes: Readonly<Record<SchemeName, Scheme>> = {
  stripe,
  github,
  slack,
  twilio,
  standard,
  generic_hmac: genericHmac,
}
