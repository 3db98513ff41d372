/**
 * Reads the providers of models from the settings. A mistake in them stops the start with a
 * sentence that shows no key.
 */
import { Buffer } from 'node:buffer'
import { createSecretKey, type KeyObject } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { oneOf, parseStandardSecret, StartError, type Deployment } from '#dodeca/kernel'
import { Auth, usual_addresses } from './auth.ts'
import { provider_kinds } from './provider.ts'

const Further = Type.Array(
  Type.Object(
    {
      name: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,62}$' }),
      kind: oneOf(...provider_kinds),
      base_url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
      api_key: Type.Optional(Type.String({ maxLength: 1000 })),
      /** In place of `api_key`, for a key in another header and for AWS. */
      auth: Type.Optional(Auth),
      webhook_secrets: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 5 })),
    },
    { additionalProperties: false },
  ),
  { maxItems: 50 },
)
export type Further = Static<typeof Further>[number]

type Given = {
  readonly 'inference.provider': string
  readonly 'inference.providers': string | null
}

/** The name of the primary provider, or none. In development without one it is the sandbox. */
export function primaryName(settings: Given, profile: Deployment['profile']) {
  const given = settings['inference.provider']
  return given === 'none' && profile === 'development' ? 'sandbox' : given
}

/** The providers beside the primary one. */
export function furtherProviders(
  settings: Given,
  profile: Deployment['profile'],
): readonly Further[] {
  const found = parse(settings['inference.providers'])
  const names = new Set<string>([primaryName(settings, profile)].filter(one => one !== 'none'))
  for (const { name, kind, base_url = usual_addresses[kind], webhook_secrets = [] } of found) {
    if (names.has(name)) {
      throw new StartError(`INFERENCE_PROVIDERS names ${name} twice. Choose another name.`)
    }
    names.add(name)
    if (!URL.canParse(base_url ?? '')) {
      throw new StartError(`The base_url of the provider ${name} is not an address.`)
    }
    webhook_secrets.forEach(secretKey)
  }
  return found
}

function parse(given: string | null): Further[] {
  if (given === null) return []
  const example = '[{"name": "vllm", "kind": "openai_compatible", "base_url": "http://…/v1"}]'
  const fault = () => new StartError(`INFERENCE_PROVIDERS is not a list such as ${example}.`)
  let list: unknown
  try {
    list = JSON.parse(given)
  } catch {
    throw fault()
  }
  if (!Value.Check(Further, list)) throw fault()
  return list
}

/** Created once, because creating it for each message costs as much as verifying the message. */
export function secretKey(secret: string): KeyObject {
  const bytes = parseStandardSecret(secret)
  if (bytes) return createSecretKey(Buffer.from(bytes))
  throw new StartError('A webhook secret of a model provider is not one: it begins with whsec_.')
}
