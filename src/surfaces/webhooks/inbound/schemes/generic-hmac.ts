/**
 * A scheme for any provider that signs with HMAC. The source configures the header of the signature
 * and the signed text. A time is used only if the signed text contains it. The schema of the source
 * guarantees this.
 */
import { verifySigned, type SignatureVerdict } from '#dodeca/kernel'
import { envelopeOf, hashOf, headerOf, isText, writtenIn } from './read.ts'
import type { Incoming, Scheme, Trust } from './scheme.ts'

export const genericHmac: Scheme = {
  name: 'generic_hmac',
  verify,
  envelope: ({ headers, body }, { id_header, id_pointer }) => {
    if (id_header) return envelopeOf(headerOf(headers, id_header.toLowerCase()), null)
    if (!id_pointer) return envelopeOf(hashOf(body), null)
    const event_id = pointedAt(writtenIn(body), id_pointer)
    return isText(event_id) ? { event_id, type: null } : null
  },
  identified: ({ id_header, id_pointer }) =>
    id_header ? `in the header ${id_header}` : `at ${id_pointer ?? ''} in the JSON body`,
  received: { status: 204, body: null },
}

function verify({ headers, body }: Incoming, trust: Trust): SignatureVerdict {
  const { header, prefix = '', encoding = 'hex', algorithm = 'sha256' } = trust.options
  const { template = '{body}', timestamp_header, id_header } = trust.options
  const timestamp = timestamp_header ? headerOf(headers, timestamp_header.toLowerCase()) : null
  const id = id_header ? headerOf(headers, id_header.toLowerCase()) : null
  const given = headerOf(headers, (header ?? '').toLowerCase()) ?? ''
  if (!given.startsWith(prefix) || (timestamp_header && timestamp === null)) {
    return { outcome: 'signature_invalid' }
  }
  return verifySigned({
    ...trust,
    algorithm,
    content: contentOf(template, { body, timestamp: timestamp ?? '', id: id ?? '' }),
    signatures: [Buffer.from(given.slice(prefix.length), encoding)],
    timestamp,
  })
}

type Signed = { readonly body: Buffer; readonly timestamp: string; readonly id: string }

function contentOf(template: string, { body, timestamp, id }: Signed) {
  const parts: Readonly<Record<string, string | Buffer>> = {
    '{body}': body,
    '{timestamp}': timestamp,
    '{id}': id,
  }
  return template.split(/(\{body\}|\{timestamp\}|\{id\})/).map(part => parts[part] ?? part)
}

/** RFC 6901. */
function pointedAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (found, name) =>
        typeof found === 'object' && found !== null && Object.hasOwn(found, name)
          ? (found as Record<string, unknown>)[name] // an own member, of any type
          : null,
      value,
    )
}
