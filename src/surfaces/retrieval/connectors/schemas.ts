/** Connectors in requests and replies. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, oneOf, text, Time } from '#dodeca/kernel'
import { Acl } from '../access/acl-entries.ts'

export const connector_kinds = ['web', 'uploads'] as const
export const delete_policies = ['tombstone', 'keep'] as const
const connector_states = ['active', 'paused', 'error'] as const

/** Only `web` has properties: the first URLs, and how many links deep it follows from them. */
export const ConnectorConfig = closed(
  {
    urls: Type.Optional(Type.Array(text(2048), { minItems: 1, maxItems: 20 })),
    depth: Type.Optional(count(0, 5)),
  },
  { title: 'ConnectorConfig' },
)
export type ConnectorConfig = Static<typeof ConnectorConfig>

const Schedule = Type.String({
  description: 'An ISO 8601 duration of at least five minutes, such as `PT1H` or `P1D`.',
  pattern: '^P(?=.)([0-9]{1,3}D)?(T(?=.)([0-9]{1,4}H)?([0-9]{1,5}M)?)?$',
  minLength: 3,
  maxLength: 20,
})

export const CreateConnector = closed(
  {
    kind: oneOf(...connector_kinds),
    config: Type.Optional(ConnectorConfig),
    schedule: Type.Optional(Schedule),
    acl: Type.Optional(Acl),
    delete_policy: Type.Optional(oneOf(...delete_policies)),
    max_documents: Type.Optional(count(1, 100_000)),
  },
  { title: 'CreateConnector' },
)
export type CreateConnector = Static<typeof CreateConnector>

export const ChangeConnector = closed(
  {
    state: Type.Optional(oneOf('active', 'paused')),
    schedule: Type.Optional(nullable(Schedule)),
    delete_policy: Type.Optional(oneOf(...delete_policies)),
    max_documents: Type.Optional(count(1, 100_000)),
  },
  { title: 'ChangeConnector' },
)
export type ChangeConnector = Static<typeof ChangeConnector>

export const SyncConnector = closed(
  { confirm_deletions: Type.Optional(Type.Boolean()) },
  { title: 'SyncConnector' },
)

export const Connector = Type.Object(
  {
    id: Id,
    collection_id: Id,
    kind: oneOf(...connector_kinds),
    state: oneOf(...connector_states),
    config: ConnectorConfig,
    schedule_seconds: nullable(Type.Integer()),
    delete_policy: oneOf(...delete_policies),
    max_documents: Type.Integer(),
    error_code: nullable(Type.String()),
    next_sync_at: nullable(Time),
    job_id: nullable(Id),
    version: Type.Integer(),
    created_at: Time,
  },
  { title: 'Connector' },
)
export type Connector = Static<typeof Connector>
/** Null if the duration is shorter than five minutes. */
export function secondsOf(schedule: string): number | null {
  const [, days = '0', hours = '0', minutes = '0'] =
    /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(schedule) ?? []
  const seconds = Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60
  return seconds >= 300 ? seconds : null
}
