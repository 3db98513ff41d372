/** Collections in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, Id, oneOf, text, Time } from '#dodeca/kernel'
import { Acl } from '../access/acl-entries.ts'

export const ProfileId = text(100)

export const CreateCollection = closed(
  {
    name: text(120),
    embedding_profile: Type.Optional(ProfileId),
    language: Type.Optional(
      Type.String({ pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$', minLength: 2, maxLength: 35 }),
    ),
    default_acl: Type.Optional(Acl),
  },
  { title: 'CreateCollection' },
)
export type CreateCollection = Static<typeof CreateCollection>

export const Collection = Type.Object(
  {
    id: Id,
    tenant_id: Id,
    name: Type.String(),
    embedding_profile: Type.String(),
    language: Type.String(),
    access_policy_version: Type.Integer(),
    active_index_version: Type.Integer(),
    document_count: Type.Integer(),
    state: oneOf('active'),
    created_at: Time,
  },
  { title: 'Collection' },
)
export type Collection = Static<typeof Collection>
export const AccessList = Type.Object(
  { acl: Acl, version: Type.Integer() },
  { title: 'AccessList' },
)
