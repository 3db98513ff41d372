/** Own providers in requests and replies. A key is never in a reply. */
import { Type, type Static } from 'typebox'
import { closed, Id, nullable, oneOf, text, Time } from '#dodeca/kernel'
import { AuthBody } from '../providers/auth.ts'
import { provider_kinds } from '../providers/provider.ts'

export const ProviderName = Type.String({ pattern: '^[a-z][a-z0-9_-]{0,49}$', maxLength: 50 })
const Kind = oneOf(...provider_kinds)
const State = oneOf('active', 'disabled')

export const PutProvider = closed(
  {
    kind: Kind,
    base_url: Type.Optional(text(2000)),
    auth: Type.Optional(AuthBody),
    state: Type.Optional(State),
    tools: Type.Optional(Type.Boolean()),
    tenant_id: Type.Optional(Id),
  },
  { title: 'PutModelProvider' },
)
export type PutProvider = Static<typeof PutProvider>

/** How the key is sent. */
export const ShownAuth = Type.Object({
  type: oneOf('bearer', 'header', 'aws'),
  header: nullable(Type.String({ maxLength: 40 })),
  region: nullable(Type.String({ maxLength: 40 })),
  last4: Type.String({ maxLength: 4 }),
})
export type ShownAuth = Static<typeof ShownAuth>

export const ProviderView = Type.Object(
  {
    id: Id,
    name: ProviderName,
    kind: Kind,
    base_url: Type.String({ maxLength: 2000 }),
    auth: ShownAuth,
    state: State,
    tools: Type.Boolean(),
    version: Type.Integer(),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'ModelProvider' },
)
export type ProviderView = Static<typeof ProviderView>
