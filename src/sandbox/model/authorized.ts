/**
 * Whether a request proves its caller: by a key in one of the vendor's headers, or by a signature of
 * AWS, which is computed here by hand. A request with two proofs is refused, because a vendor would
 * choose one of them.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Clock } from '#dodeca/kernel'

export type Credentials = {
  readonly key: string
  /** The headers with a bare key. `authorization` has it as a bearer. */
  readonly headers: readonly string[]
  readonly clock: Pick<Clock, 'nowMs'>
}

export const aws_access_key_id = 'AKIASANDBOX'
const proofs = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key']

/** The way in which it was proved, or null. */
export function authorizedBy(
  request: IncomingMessage,
  raw: string,
  { key, headers, clock }: Credentials,
): string | null {
  const [sent, ...others] = proofs.filter(name => request.headers[name] !== undefined)
  if (sent === undefined || others.length > 0) return null
  const value = String(request.headers[sent])
  if (value.startsWith('AWS4-HMAC-SHA256 '))
    return isSigned(request, raw, key, clock.nowMs()) ? 'aws' : null
  if (sent === 'authorization') return value === `Bearer ${key}` ? 'bearer' : null
  return headers.includes(sent) && value === key ? sent : null
}

/** Signature Version 4. The secret is the key of the vendor. */
function isSigned(
  { method, url = '', headers }: IncomingMessage,
  raw: string,
  secret: string,
  now_ms: number,
): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/([\w-]+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/
  const parts = form.exec(headers.authorization ?? '')
  if (!parts) return false
  const [, id = '', day = '', region = '', service = '', names = '', given = ''] = parts
  const time = String(headers['x-amz-date'])
  const is_now = Math.abs(now_ms - timeOf(time)) < 5 * 60_000
  const needed = ['host', 'x-amz-date'].every(name => names.split(';').includes(name))
  if (id !== aws_access_key_id || !time.startsWith(day) || !is_now || !needed) return false
  const { pathname, search } = new URL(url, 'http://localhost')
  const lines = names.split(';').map(name => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, pathname, search.slice(1), lines.join(''), names, sha256(raw)]
  const scope = `${day}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical.join('\n'))].join('\n')
  const signing = [day, region, service, 'aws4_request'].reduce<Buffer | string>(
    (step, part) => createHmac('sha256', step).update(part).digest(),
    `AWS4${secret}`,
  )
  const wanted = createHmac('sha256', signing).update(text).digest()
  return timingSafeEqual(wanted, Buffer.from(given, 'hex'))
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function timeOf(text: string): number {
  const iso = text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  return Date.parse(iso)
}
