/** How providers sign, by their own libraries: what our verification is held against. */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { sign as signGithub } from '@octokit/webhooks-methods'
import { Stripe } from 'stripe'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import twilio from 'twilio'
import { newId } from '#dodeca/kernel'

export type Signed = {
  readonly body: string
  readonly headers: Record<string, string>
  /** With its question mark. */
  readonly search?: string
}

export type Signing = {
  readonly secret: string
  readonly seconds: number
  /** The address that the provider has. */
  readonly url: string
}

export const newWhsec = () => `whsec_${randomBytes(32).toString('base64')}`

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

export const stripeEvent = (id = `evt_${newId()}`) =>
  JSON.stringify(
    { id, object: 'event', type: 'charge.succeeded', data: { object: { a: 1.5 } } },
    null,
    2,
  )

export function byStripe({ secret, seconds }: Signing, body = stripeEvent()): Signed {
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret,
    timestamp: seconds,
  })
  return { body, headers: { ...json, 'stripe-signature': signature } }
}

export async function byGithub({ secret }: Signing, id: string = newId()): Promise<Signed> {
  const body = JSON.stringify({ action: 'opened', text: 'ñ 😀' })
  const headers = { ...json, 'x-github-event': 'issues', 'x-github-delivery': id }
  return { body, headers: { ...headers, 'x-hub-signature-256': await signGithub(secret, body) } }
}

/** Slack's own verifier is part of a framework; this is its documentation, to the letter. */
export function bySlack({ secret, seconds }: Signing, given?: object): Signed {
  const event = { type: 'event_callback', event_id: `Ev${newId()}`, event: { type: 'message' } }
  const body = JSON.stringify(given ?? event)
  const mac = createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex')
  const headers = { 'x-slack-request-timestamp': String(seconds), 'x-slack-signature': `v0=${mac}` }
  return { body, headers: { ...json, ...headers } }
}

export function byTwilio({ secret, url }: Signing, given?: Record<string, string>): Signed {
  const fields = given ?? { MessageSid: `SM${newId()}`, MessageStatus: 'sent', Body: 'a b+ñ' }
  const signature = twilio.getExpectedTwilioSignature(secret, url, fields)
  const body = new URLSearchParams(fields).toString()
  return { body, headers: { ...form, 'x-twilio-signature': signature } }
}

export function byTwilioJson({ secret, url }: Signing, body = `{"sid":"${newId()}"}`): Signed {
  const hash = createHash('sha256').update(body).digest('hex')
  const search = `?bodySHA256=${hash}`
  const signature = twilio.getExpectedTwilioSignature(secret, url + search, {})
  return { body, search, headers: { ...json, 'x-twilio-signature': signature } }
}

const event = () => JSON.stringify({ type: 'thing.done', data: {} })

export function byStandard({ secret, seconds }: Signing, id = `msg_${newId()}`): Signed {
  const body = event()
  const signature = new StandardWebhook(secret).sign(id, new Date(seconds * 1000), body)
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(seconds) }
  return { body, headers: { ...json, ...headers, 'webhook-signature': signature } }
}

export function bySvix({ secret, seconds }: Signing, id = `msg_${newId()}`): Signed {
  const body = event()
  const signature = new SvixWebhook(secret).sign(id, new Date(seconds * 1000), body)
  const headers = { 'svix-id': id, 'svix-timestamp': String(seconds) }
  return { body, headers: { ...json, ...headers, 'svix-signature': signature } }
}

export const genericOptions = {
  header: 'X-Acme-Signature',
  prefix: 'sha512:',
  encoding: 'base64',
  algorithm: 'sha512',
  template: '{timestamp}|{body}',
  timestamp_header: 'X-Acme-Time',
  id_pointer: '/event/id',
} as const

export function byGeneric({ secret, seconds }: Signing, id: string = newId()): Signed {
  const body = JSON.stringify({ event: { id } })
  const mac = createHmac('sha512', secret).update(`${seconds}|${body}`).digest('base64')
  const headers = { 'x-acme-time': String(seconds), 'x-acme-signature': `sha512:${mac}` }
  return { body, headers: { ...json, ...headers } }
}
