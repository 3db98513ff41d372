/**
 * How the platform proves itself to a provider: a key in a header, or a signature of AWS over each
 * attempt. Bedrock takes the requests of OpenAI and Anthropic with such a signature.
 */
import { AwsV4Signer } from 'aws4fetch'
import { Type, type Static } from 'typebox'
import { closed, oneOf, type RequestHeaders } from '#dodeca/kernel'
import type { ProviderKind } from './provider.ts'

const headers = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'] as const
const Header = oneOf(...headers)
const Key = Type.String({ minLength: 1, maxLength: 1000, pattern: '^[\\x21-\\x7e]+$' })
const Region = Type.String({
  pattern: '^[a-z]{2}(-[a-z]+)+-\\d$',
  maxLength: 40,
  examples: ['eu-central-1'],
})

const KeyId = Type.String({ minLength: 1, maxLength: 128, pattern: '^\\w+$' })

export const Auth = Type.Union([
  closed({ type: Type.Literal('bearer'), key: Key }),
  closed({ type: Type.Literal('header'), header: Header, key: Key }),
  closed({
    type: Type.Literal('aws'),
    region: Region,
    access_key_id: KeyId,
    secret_access_key: Key,
  }),
])
export type Auth = Static<typeof Auth>

/** As a body has it: each type needs its own members, and all of them. */
export const AuthBody = closed({
  type: oneOf('bearer', 'header', 'aws'),
  key: Type.Optional(Key),
  header: Type.Optional(Header),
  region: Type.Optional(Region),
  access_key_id: Type.Optional(KeyId),
  secret_access_key: Type.Optional(Key),
})

/** The usual address of each kind; a compatible server has none. */
export const usual_addresses: Readonly<Partial<Record<ProviderKind, string>>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
}

/** A key without a word on its place goes where the vendor of the kind reads it. */
export function usualAuth(kind: ProviderKind, key: string): Auth {
  if (kind === 'anthropic') return { type: 'header', header: 'x-api-key', key }
  if (kind === 'gemini') return { type: 'header', header: 'x-goog-api-key', key }
  return { type: 'bearer', key }
}

export type Attempt = {
  readonly method: string
  readonly path: string
  readonly body: string | null
}

/** The headers that prove one attempt. */
export type Prove = (attempt: Attempt) => RequestHeaders | Promise<RequestHeaders>

export function openAuth(auth: Auth, base_url: string): Prove {
  if (auth.type === 'bearer') {
    const headers = { authorization: `Bearer ${auth.key}` }
    return () => headers
  }
  if (auth.type === 'header') {
    const headers = { [auth.header]: auth.key }
    return () => headers
  }
  const { hostname } = new URL(base_url)
  const credentials = {
    accessKeyId: auth.access_key_id,
    secretAccessKey: auth.secret_access_key,
    region: auth.region,
    service: hostname.startsWith('bedrock-mantle.') ? 'bedrock-mantle' : 'bedrock',
  }
  return async ({ method, path, body }) => {
    const url = base_url.replace(/\/$/, '') + path
    const signer = new AwsV4Signer({ ...credentials, method, url, ...(body ? { body } : {}) })
    const { headers } = await signer.sign()
    const proofs = [...headers].filter(([name]) => name !== 'host')
    return Object.fromEntries(proofs)
  }
}
