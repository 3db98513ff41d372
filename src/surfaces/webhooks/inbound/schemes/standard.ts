/**
 * Standard Webhooks, with a shared secret (`whsec_`) or a public key (`whpk_`). Svix uses the same
 * format with its own header names. All headers of one message must use the same kind of names.
 */
import {
  parseStandardKey,
  parseStandardSecret,
  verifyStandard,
  verifyStandardByKey,
} from '#dodeca/kernel'
import type { SignatureVerdict } from '#dodeca/kernel'
import { envelopeOf, headerOf, jsonOf } from './read.ts'
import type { Incoming, Scheme, Trust } from './scheme.ts'

export const standard: Scheme = {
  name: 'standard',
  verify,
  envelope: message =>
    envelopeOf(headerOf(namesOf(message), 'webhook-id'), jsonOf(message.body)?.['type']),
  identified: () => 'in the header webhook-id',
  received: { status: 204, body: null },
}

/** Every secret is tried, even after a match. */
function verify(message: Incoming, trust: Trust): SignatureVerdict {
  const verdicts = trust.secrets.map(secret =>
    verifyBy(secret.export().toString('utf8'), {
      ...trust,
      body: message.body,
      headers: namesOf(message),
    }),
  )
  const matched = verdicts.findIndex(({ outcome }) => outcome !== 'signature_invalid')
  const verdict = verdicts[matched]
  if (!verdict) return { outcome: 'signature_invalid' }
  return verdict.outcome === 'ok' ? { outcome: 'ok', secret: matched } : verdict
}

function verifyBy(text: string, message: Trust & Pick<Incoming, 'headers' | 'body'>) {
  const key = parseStandardKey(text)
  if (key) return verifyStandardByKey({ ...message, key })
  const secret = parseStandardSecret(text)
  return verifyStandard({ ...message, secrets: secret ? [secret] : [] })
}

function namesOf({ headers }: Incoming): Incoming['headers'] {
  if (headers['webhook-signature'] !== undefined || headers['svix-signature'] === undefined) {
    return headers
  }
  return {
    'webhook-id': headers['svix-id'],
    'webhook-timestamp': headers['svix-timestamp'],
    'webhook-signature': headers['svix-signature'],
  }
}
