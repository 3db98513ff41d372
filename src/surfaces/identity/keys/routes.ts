/** The public list of signing keys, and their rotation. */
import { Type } from 'typebox'
import { createHash } from 'node:crypto'
import { logFailure } from '../../../kernel/database/log-failure.ts'
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import { closed } from '../../../kernel/http/shapes.ts'
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

export function keyRoutes(deps: Deps): readonly Route[] {
  return [jwksRoute(deps), rotateRoute(deps)]
}

function jwksRoute({ keys }: Deps): Route {
  return route({
    method: 'GET',
    path: '/.well-known/jwks.json',
    name: 'getJwks',
    summary: 'Get the public keys of access tokens',
    description:
      'Verify access tokens with these keys. Read them again when a token names a key that you do not know.',
    sends: ['etag'],
    permission: 'public',
    always: true,
    headers: { 'cache-control': `public, max-age=${max_age_seconds}` },
    replies: { 200: Jwks },
    handle: () => {
      const body = keys.jwks()
      const hash = createHash('sha256').update(JSON.stringify(body)).digest('base64url')
      return reply(200, body, { etag: `"${hash.slice(0, 22)}"` })
    },
  })
}

function rotateRoute({ kernel, keys }: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/signing-keys/rotate',
    name: 'rotateSigningKey',
    idempotency: 'optional',
    summary: 'Start to sign with a new key',
    description:
      '`graceful` publishes the new key before the key signs tokens. `revoke` removes all other keys immediately, and clients must refresh their tokens.',
    permission: 'identity.signing_keys.rotate',
    added: true,
    body: closed({ mode: Type.Union([Type.Literal('graceful'), Type.Literal('revoke')]) }),
    replies: { 201: Rotated },
    fails: ['step_up_required'],
    handle: async ({ tx, principal, body, request }) => {
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
      return reply(201, rotated)
    },
  })
}
