/** The public list of signing keys, and their rotation. */
import { Type } from 'typebox'
import { createHash } from 'node:crypto'
import { closed, logFailure, reply, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { requireStepUp } from '../step-up.ts'
import { rotateSigningKey, signing_keys_topic } from './rotate-signing-key.ts'
import { max_age_seconds } from './signing-keys.ts'

const Jwk = Type.Object({
  kty: Type.String(),
  crv: Type.String(),
  x: Type.String(),
  y: Type.String(),
  kid: Type.String(),
  alg: Type.String(),
  use: Type.String(),
})
const Jwks = Type.Object({ keys: Type.Array(Jwk, { maxItems: 100 }) }, { title: 'Jwks' })
const Rotated = Type.Object(
  { kid: Type.String(), state: Type.String() },
  { title: 'SigningKeyRotated' },
)

const { open, create, get } = routesOf<Deps>()

export const keyRoutes = open({
  getJwks: get(
    '/.well-known/jwks.json',
    'Get the public keys of access tokens',
    {
      sends: ['etag'],
      description:
        'Verify access tokens with these keys. Read them again when a token names a key that you do not know.',
      permission: 'public',
      always: true,
      headers: { 'cache-control': `public, max-age=${max_age_seconds}` },
      reply: Jwks,
    },
    (_context, { keys }) => {
      const body = keys.jwks()
      const hash = createHash('sha256').update(JSON.stringify(body)).digest('base64url')
      return reply(200, body, { etag: `"${hash.slice(0, 22)}"` })
    },
  ),

  rotateSigningKey: create(
    '/v1/signing-keys/rotate',
    'Start to sign with a new key',
    {
      idempotency: 'optional',
      description:
        '`graceful` publishes the new key before the key signs tokens. `revoke` removes all other keys immediately, and clients must refresh their tokens.',
      permission: 'identity.signing_keys.rotate',
      added: true,
      body: closed({ mode: Type.Union([Type.Literal('graceful'), Type.Literal('revoke')]) }),
      reply: Rotated,
      fails: ['step_up_required'],
    },
    async ({ tx, principal, body, request }, { kernel, keys }) => {
      await requireStepUp(tx, kernel, principal)
      const { id: actor, tenant_id } = principal
      const turner = { actor, tenant_id, seen: request }
      const rotated = await rotateSigningKey(tx, { keys }, body.mode, turner)
      tx.afterCommit(async () => {
        kernel.wake([signing_keys_topic])
        // If this read fails, the next read of the ended sessions finds the new key.
        await keys.load().catch((error: unknown) => {
          logFailure(kernel.log, { err: error }, 'the signing keys could not be read')
        })
      })
      return rotated
    },
  ),
})
