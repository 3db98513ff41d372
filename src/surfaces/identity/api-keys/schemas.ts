/** API keys in requests and replies. Only the reply that creates a key contains the key itself. */
import { type Static, Type } from 'typebox'
import { closed, Id, nullable, sql, text, Time } from '#dodeca/kernel'
import { Grants } from '../roles/schemas.ts'

export const CreateApiKey = closed({
  name: text(100),
  permissions: Grants,
  expires_at: Type.Optional(Time),
})
export type CreateApiKey = Static<typeof CreateApiKey>

const shown = {
  id: Id,
  account_id: Id,
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
