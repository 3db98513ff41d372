/**
 * Signed requests to an S3-compatible service. aws4fetch makes the signatures. The connections are
 * our own pool with time limits. A checksum header is added only if the caller asks for it, because
 * services that do not know the header refuse the request.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type { Dispatcher } from 'undici'
import { jitter } from '../ids.ts'
import { undici } from '../outgoing/undici.ts'
import { StoreUnavailable } from './objects.ts'

export type S3Options = {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly access_key: string
  readonly secret_key: string
  /** `https://endpoint/bucket/key` instead of `https://bucket.endpoint/key`. */
  readonly path_style: boolean
  /** Longest time until the headers of a reply. */
  readonly timeout_ms: number
}

type Method = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'

export type S3Request = {
  readonly method: Method
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | string
  /**
   * A request that must not be sent twice. After a failure the caller first finds out whether the
   * first attempt had its effect.
   */
  readonly once?: boolean
}

export type S3Answer = {
  readonly status: number
  readonly headers: Dispatcher.ResponseData['headers']
  readonly body: Dispatcher.ResponseData['body']
}
export type S3Text = {
  readonly status: number
  readonly headers: S3Answer['headers']
  readonly text: string
}

export type S3Client = {
  send(asked: S3Request): Promise<S3Answer>
  /**
   * Returns the text of a reply with one of these statuses. Any other status is `StoreUnavailable`.
   */
  expect(answer: S3Answer, statuses: readonly number[]): Promise<S3Text>
  /** `size`: only a body of exactly this length matches the signature. */
  presign(
    method: Method,
    key: string,
    expires_seconds: number,
    query: Readonly<Record<string, string>>,
    size?: number,
  ): Promise<string>
  close(): Promise<void>
}

const attempts_max = 4

export function openS3Client(options: S3Options): S3Client {
  const { access_key: accessKeyId, secret_key: secretAccessKey, region } = options
  const credentials = { accessKeyId, secretAccessKey, region, service: 's3' }
  const { Agent, request } = undici()
  const agent = new Agent({
    connections: 64,
    headersTimeout: options.timeout_ms,
    bodyTimeout: options.timeout_ms,
    connect: { timeout: options.timeout_ms },
  })
  const attempt = async (asked: S3Request): Promise<S3Answer> => {
    const { method, body } = asked
    const url = addressOf(options, asked)
    const signer = new AwsV4Signer({ ...credentials, method, url, headers: { ...asked.headers } })
    const signed = await signer.sign()
    const headers = Object.fromEntries(signed.headers)
    const found = await request(signed.url, {
      method,
      headers,
      dispatcher: agent,
      ...(body === undefined ? {} : { body }),
    })
    // A body that is destroyed before its end emits an error, which would end the process if nothing
    // reads it. Readers have listeners of their own.
    found.body.on('error', () => {})
    return { status: found.statusCode, headers: found.headers, body: found.body }
  }
  return {
    send: asked => withRetries(asked, () => attempt(asked)),
    expect: async (answer, statuses) => {
      const text = await answer.body.text().catch(brokenOff)
      const { status, headers } = answer
      if (statuses.includes(status)) return { status, headers, text }
      const code = textsOf(text, 'Code')[0] ?? 'no code'
      throw new StoreUnavailable(`the object store answered ${status} (${code})`)
    },
    presign: async (method, key, expires_seconds, query, size) => {
      const url = addressOf(options, {
        method,
        key,
        query: { ...query, 'X-Amz-Expires': String(expires_seconds) },
      })
      const headers: Record<string, string> = {}
      if (size !== undefined) headers['content-length'] = String(size)
      const signer = { ...credentials, method, url, headers, signQuery: true, allHeaders: true }
      return String((await new AwsV4Signer(signer).sign()).url)
    },
    close: () => agent.close(),
  }
}

/** For `catch`: the reply began, and its end did not arrive. */
export function brokenOff(cause: unknown): never {
  throw new StoreUnavailable('the reply of the object store broke off', { cause })
}

/** A service that answers the same page again and again. */
export function endless(): StoreUnavailable {
  return new StoreUnavailable('a list of the object store does not go on')
}

async function withRetries(asked: S3Request, run: () => Promise<S3Answer>): Promise<S3Answer> {
  for (let attempt = 1; ; attempt++) {
    const last = asked.once === true || attempt === attempts_max
    try {
      const answer = await run()
      if (last || (answer.status < 500 && answer.status !== 429)) return answer
      answer.body.resume()
    } catch (error) {
      if (last) throw new StoreUnavailable('the object store did not answer', { cause: error })
    }
    await wait(jitter() * 100 * 2 ** attempt)
  }
}

function addressOf(options: S3Options, { key = '', query = {} }: S3Request): string {
  const url = new URL(options.endpoint)
  const base = url.pathname.replace(/\/$/, '')
  if (options.path_style) url.pathname = `${base}/${options.bucket}/${key}`
  else {
    url.hostname = `${options.bucket}.${url.hostname}`
    url.pathname = `${base}/${key}`
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.toString()
}

/**
 * Returns the contents of all elements of this name, in order. That is enough for list replies,
 * because their texts are our own keys, tags and numbers.
 */
export function textsOf(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}(?: [^>]*)?>([\\s\\S]*?)</${name}>`, 'g')
  return [...xml.matchAll(pattern)].map(([, text = '']) =>
    text.replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  )
}
