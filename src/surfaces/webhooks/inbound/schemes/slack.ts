/**
 * Slack. Its events are JSON with an id. Its commands and interactions are forms without an id.
 * When you register a URL, Slack sends a challenge. The platform verifies the signature of the
 * challenge and replies to it.
 */
import { verifySlack } from '../../../../kernel/outgoing/vendor-signatures.ts'
import { envelopeOf, formOf, hashOf, headerOf, jsonOf, typeOf, type Members } from './read.ts'
import type { Incoming, Scheme } from './scheme.ts'

export const slack: Scheme = {
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
