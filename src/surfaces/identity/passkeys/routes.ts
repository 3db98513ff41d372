/** The route that begins a log-in with a passkey. */
import { Type } from 'typebox'
import { routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { passkeyOptions } from './challenge.ts'

const PasskeyOptions = Type.Object(
  {
    public_key: Type.Object({
      challenge: Type.String({ maxLength: 100 }),
      timeout: Type.Integer(),
      rpId: Type.String({ maxLength: 253 }),
      userVerification: Type.Literal('required'),
    }),
    expires_in: Type.Integer(),
  },
  { title: 'PasskeyOptions' },
)

const { open, post } = routesOf<Deps>({ added: true })

export const passkeyRoutes = open({
  beginPasskeyLogin: post(
    '/v1/passkey-options',
    'Begin a log-in with a passkey',
    {
      description:
        'Give `public_key` to `navigator.credentials.get`, and send the result as `passkey` with `POST /v1/sessions`. The challenge logs in once.',
      permission: 'public',
      transaction: 'own',
      reply: PasskeyOptions,
    },
    (_context, { kernel }) => passkeyOptions(kernel),
  ),
})
