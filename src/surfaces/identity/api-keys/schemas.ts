/** API keys in requests and replies. Only the reply that creates a key contains the key itself. */
import { type Static, Type } from 'typebox'
import { closed, Id, nullable, oneOf, sql, text, Time } from '#dodeca/kernel'
import { Grants } from '../roles/schemas.ts'

export const CreateApiKey = closed({
  /** A key of the organization stays when its maker leaves. The default is `account`. */
  owner: Type.Optional(oneOf('account', 'organization')),
  name: text(100),
  permissions: Grants,
  expires_at: Type.Optional(Time),
})
export type CreateApiKey = Static<typeof CreateApiKey>

const shown = {
  id: Id,
  /** Null for a key of the organization. */
  account_id: nullable(Id),
  made_by: Id,
  name: Type.String(),
  prefix: Type.String(),
  permissions: Type.Array(Type.String(), { maxItems: 200 }),
  state: Type.String(),
  created_at: Time,
  last_used_at: nullable(Time),
  expires_at: nullable(Time),
  revoked_at: nullable(Time),
}

export const ApiKey = Type.Object(shown, { title: 'ApiKey' })
export type ApiKey = Static<typeof ApiKey>

export const apiKeyState = sql`
  case when state = 'active' and expires_at <= kernel.now() then 'expired' else state end`

export const NewApiKey = Type.Object(
  { ...shown, key: Type.String({ maxLength: 100 }) },
  { title: 'NewApiKey' },
)
export type NewApiKey = Static<typeof NewApiKey>
