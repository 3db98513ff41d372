/**
 * The row of a client, and the shapes of its requests: an application that logs people in here, or
 * an API for which applications get tokens.
 */
import { Type, type Static } from 'typebox'
import {
  closed,
  defaulted,
  given,
  nullable,
  once,
  oneOf,
  record,
  scopeWords,
  text,
  Time,
  type PermissionCatalog,
} from '#dodeca/kernel'

const ApiScope = closed({
  name: Type.String({ pattern: '^[a-z][a-z0-9_.:-]{0,79}$', minLength: 1, maxLength: 80 }),
  says: text(200),
})
export type ApiScope = Static<typeof ApiScope>

export const clients = record('identity.clients', {
  noun: 'client',
  tombstone: true,
  fields: {
    name: given(text(100)),
    type: once(oneOf('web', 'spa', 'native', 'api')),
    redirect_uris: defaulted(Type.Array(text(500), { maxItems: 20 }), []),
    scopes: defaulted(Type.Array(Type.Union([text(100), ApiScope]), { maxItems: 50 }), []),
    uri: defaulted(nullable(text(300)), null),
    first_party: defaulted(Type.Boolean(), false),
  },
})
export type ClientRow = Static<typeof clients.view>
export type CreateClient = Static<typeof clients.create>
export type ChangeClient = Static<typeof clients.change>

/** An application as a log-in sees it: a row, or a document. */
export type Client = {
  /** The id of the row, or the https address of a document. */
  readonly client_id: string
  /** Null for a document. Clients of `default` serve all tenants. */
  readonly tenant_id: string | null
  readonly name: string
  /** `web` has a secret, the others have none. */
  readonly type: 'web' | 'spa' | 'native'
  readonly redirect_uris: readonly string[]
  /** The most that it may ask for. */
  readonly scopes: readonly string[]
  readonly first_party: boolean
  readonly document: boolean
  /** Its page, for the page on which people are asked. */
  readonly uri: string | null
}

export const NewClientSecret = Type.Object(
  {
    client_secret: Type.String({ maxLength: 100 }),
    /** When the one before it ends; null if there was none. */
    previous_expires_at: nullable(Time),
  },
  { title: 'NewClientSecret' },
)
export type NewClientSecret = Static<typeof NewClientSecret>

/** Surfaces that sessions with a scope may not use. */
const closed_surfaces = ['identity', 'kernel']
/** Of sessions that we make narrow ourselves. */
const ours = ['enrolment', 'anonymous']

/** The words that an application may ask for. */
export function askableScopes(permissions: PermissionCatalog): readonly string[] {
  const names = [...permissions.keys()].map(surfaceOf).filter(one => !closed_surfaces.includes(one))
  return scopeWords(permissions, [...new Set(names)]).filter(
    word => !ours.includes(word) && !closed_surfaces.includes(surfaceOf(word)),
  )
}

function surfaceOf(word: string): string {
  return word.split('.', 1)[0] ?? ''
}

/** Of an application. */
export function wordsOf({ scopes }: Pick<ClientRow, 'scopes'>): string[] {
  return scopes.filter(one => typeof one === 'string')
}

/** Of an API. */
export function apiScopesOf({ scopes }: Pick<ClientRow, 'scopes'>): ApiScope[] {
  return scopes.filter(one => typeof one === 'object')
}
