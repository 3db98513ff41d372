/** Roles in requests and replies. */
import { type Static, Type } from 'typebox'
import { closed, Id, nullable, pageOf, text, Time } from '#dodeca/kernel'

export const RoleId = Type.String({
  pattern: '^[a-z][a-z0-9_]{2,39}$',
  minLength: 3,
  maxLength: 40,
})

const Grant = Type.String({
  pattern: String.raw`^[a-z]+\.[a-z0-9_]+\.[a-z0-9_]+(:(\*|[A-Za-z0-9_.-]{1,80}(\.\*)?))?$`,
  maxLength: 200,
})

export const Grants = Type.Array(Grant, { minItems: 1, maxItems: 200, uniqueItems: true })

export const DefineRole = closed({ role_id: RoleId, name: text(100), permissions: Grants })
export type DefineRole = Static<typeof DefineRole>

export const RoleAt = closed({ tenant_id: Type.Optional(Id) })

export const OwnRole = Type.Object({
  role_id: Type.String(),
  name: Type.String(),
  permissions: Type.Array(Type.String()),
  created_at: Time,
})

export const Role = Type.Object(
  {
    role_id: Type.String(),
    name: Type.String(),
    permissions: Type.Array(Type.String(), { maxItems: 1000 }),
    built_in: Type.Boolean(),
    created_at: nullable(Time),
  },
  { title: 'Role' },
)
export type Role = Static<typeof Role>
export const RolePage = pageOf(Role)
