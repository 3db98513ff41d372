/**
 * Twilio. Its messages are forms about a resource (a message, a call) that changes its status. If
 * no token identifies a message, its id consists of the resource and its status. The reply is an
 * empty TwiML document.
 */
import { verifyTwilio } from '../../../../kernel/outgoing/vendor-signatures.ts'
import { envelopeOf, formOf, hashOf, headerOf } from './read.ts'
import type { Scheme } from './scheme.ts'

const token = 'i-twilio-idempotency-token'

export const twilio: Scheme = {
  name: 'twilio',
  verify: (message, trust) => verifyTwilio({ ...message, ...trust }),
  envelope: ({ headers, body }) => {
    const form = formOf(body)
    const first = (...names: string[]) => names.map(name => form.get(name)).find(Boolean) ?? null
    const thing = first('MessageSid', 'CallSid', 'SmsSid', 'Sid')
    const status = first('MessageStatus', 'CallStatus', 'SmsStatus', 'Status')
    const given = headerOf(headers, token)
    return envelopeOf(given ?? (thing ? `${thing}:${status ?? ''}` : hashOf(body)), status)
  },
  identified: () => 'in the form, or the header I-Twilio-Idempotency-Token',
  received: { status: 200, body: '<Response/>', media_type: 'text/xml; charset=utf-8' },
}
