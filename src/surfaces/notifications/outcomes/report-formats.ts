/**
 * The formats of provider reports: `standard` (Standard Webhooks, as Resend sends them) and
 * Twilio's status callbacks. The signature is verified over the exact bytes before anything is
 * parsed.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import {
  isTime,
  openOutsideWorld,
  parseStandardSecret,
  rfc3339,
  verifyStandard,
  verifyTwilio,
} from '#dodeca/kernel'
import type { Provider, ProviderVerdict, SignedProviderMessage } from '#dodeca/kernel'
import { storedId } from '../providers/outcome.ts'
import { reportWebhooks } from '../providers/read-relays.ts'
import type { Kernel } from '../settings.ts'
import { receiveReports, type Report, type ReportType } from './receive-reports.ts'

const max_bytes = 1024 * 1024

const StandardBody = Type.Object({
  type: Type.String({ maxLength: 100 }),
  created_at: Type.Optional(Type.String({ maxLength: 40 })),
  data: Type.Object({
    email_id: Type.Optional(Type.String({ maxLength: 200 })),
    /** The value in the header of the mail. */
    message_id: Type.Optional(Type.String({ maxLength: 400 })),
  }),
})
const standard_types = new Map<string, ReportType>([
  ['email.sent', 'accepted'],
  ['email.delivered', 'delivered'],
  ['email.failed', 'failed'],
  ['email.bounced', 'bounced'],
  ['email.complained', 'complained'],
])
const twilio_types = new Map<string, ReportType>([
  ['queued', 'accepted'],
  ['sent', 'accepted'],
  ['delivered', 'delivered'],
  ['undelivered', 'failed'],
  ['failed', 'failed'],
])

type Secret = () => Promise<string | null>

export function reportProviders(kernel: Kernel): Provider<Report>[] {
  const named = namedWebhooks(kernel)
  const sandboxed = kernel.profile === 'development'
  if (!sandboxed) return named
  const outside = openOutsideWorld(kernel.data_dir)
  const secretOf =
    (vendor: string, name: string): Secret =>
    async () =>
      (await outside.addresses())?.[vendor]?.[name] ?? null
  return [
    ...named,
    standardProvider(kernel, 'dev_mail', secretOf('mail', 'webhook_secret')),
    standardProvider(kernel, 'dev_mail2', secretOf('mail', 'webhook_secret')),
    twilioProvider(kernel, 'dev_sms', secretOf('sms', 'token')),
    twilioProvider(kernel, 'dev_sms2', secretOf('sms', 'token')),
  ]
}

function namedWebhooks(kernel: Kernel): Provider<Report>[] {
  const given = kernel.settings['notifications.outcome_webhooks']
  const reports = reportWebhooks(given).map(({ name, scheme, secret }) => {
    const provider = scheme === 'twilio' ? twilioProvider : standardProvider
    return provider(kernel, name, () => Promise.resolve(secret))
  })
  const sms = (kernel.settings['notifications.sms_providers'] ?? '').split(',').flatMap(entry => {
    const [, name = '', url = ''] = /^\s*([a-z0-9_]{1,40})=(?:twilio\+)?(\S+)\s*$/.exec(entry) ?? []
    const token = URL.canParse(url) ? decodeURIComponent(new URL(url).password) : ''
    const known = name === '' || reports.some(one => one.name === name)
    return known ? [] : [twilioProvider(kernel, name, () => Promise.resolve(token))]
  })
  return [...reports, ...sms]
}

function standardProvider(kernel: Kernel, name: string, secret: Secret): Provider<Report> {
  return {
    name,
    accepted: 204,
    max_bytes,
    verify: async message => {
      const known = parseStandardSecret((await secret()) ?? '')
      if (!known) return { refused: 'signature_invalid' }
      const { raw, headers } = message
      const now_seconds = kernel.clock.nowSeconds()
      const { outcome } = verifyStandard({ headers, body: raw, secrets: [known], now_seconds })
      return outcome === 'ok' ? readStandard(kernel, message) : { refused: outcome }
    },
    receive: (tx, events) => receiveReports(tx, name, events),
  }
}

function readStandard(
  { clock }: Pick<Kernel, 'clock'>,
  { raw, headers }: SignedProviderMessage,
): ProviderVerdict<Report> {
  const body = json(raw)
  if (!Value.Check(StandardBody, body)) return { refused: 'envelope_invalid' }
  const type = standard_types.get(body.type)
  // Events that we do not use, such as clicks, are accepted too.
  if (!type) return { events: [] }
  const { created_at, data } = body
  return {
    events: [
      {
        event_id: String(headers['webhook-id']),
        type,
        provider_message_id: storedId(data.email_id ?? null),
        ref: storedId(/^<?([^@<>]{1,200})@/.exec(data.message_id ?? '')?.[1] ?? null),
        occurred_at: created_at && isTime(created_at) ? created_at : rfc3339(clock.nowMs()),
      },
    ],
  }
}

function twilioProvider(kernel: Kernel, name: string, secret: Secret): Provider<Report> {
  return {
    name,
    accepted: 204,
    max_bytes,
    verify: async ({ raw, headers, url }) => {
      const token = await secret()
      if (!token) return { refused: 'signature_invalid' }
      const now_seconds = kernel.clock.nowSeconds()
      const secrets = [Buffer.from(token)]
      const { outcome } = verifyTwilio({ headers, body: raw, url, secrets, now_seconds })
      return outcome === 'ok' ? readTwilio(kernel, raw, url) : { refused: outcome }
    },
    receive: (tx, events) => receiveReports(tx, name, events),
  }
}

function readTwilio(
  { clock }: Pick<Kernel, 'clock'>,
  raw: Buffer,
  url: string,
): ProviderVerdict<Report> {
  const form = new URLSearchParams(raw.toString('utf8'))
  const sid = form.get('MessageSid') ?? ''
  const status = form.get('MessageStatus') ?? ''
  if (!/^[A-Za-z0-9]{10,64}$/.test(sid) || status === '') return { refused: 'envelope_invalid' }
  const type = twilio_types.get(status)
  if (!type) return { events: [] }
  return {
    events: [
      {
        // The vendor sends no event id, so the content is the id.
        event_id: `${sid}:${status}:${/^\d{1,10}$/.exec(form.get('ErrorCode') ?? '')?.[0] ?? ''}`,
        type,
        provider_message_id: sid,
        ref: storedId(new URL(url).searchParams.get('ref')?.slice(0, 200) ?? null),
        occurred_at: rfc3339(clock.nowMs()),
      },
    ],
  }
}

function json(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'))
  } catch {
    return null
  }
}
