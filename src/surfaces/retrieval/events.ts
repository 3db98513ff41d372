/** The events of retrieval. They contain ids, versions and counts, never text. */
import { Type } from 'typebox'
import { Id, nullable, type Tx } from '#dodeca/kernel'

const Short = Type.String({ maxLength: 100 })
const declared = <const P extends Parameters<typeof Type.Object>[0]>(properties: P) => ({
  version: 1,
  data: Type.Object(properties),
})
const document = { document_id: Id, collection_id: Id }
const moved = declared({
  collection_id: Id,
  from: Type.Integer(),
  to: Type.Integer(),
  metrics: nullable(Type.Record(Type.String(), nullable(Type.Number()))),
})
const connector = declared({ connector_id: Id, collection_id: Id, reason: nullable(Short) })

export const events = {
  'document.indexed': declared({ ...document, version: Type.Integer(), chunks: Type.Integer() }),
  'document.failed': declared({ ...document, error_code: Short }),
  'document.deleted': declared(document),
  'document.purged': declared({ ...document, projections: Type.Array(Short) }),
  'document.acl_changed': declared({ ...document, version: Type.Integer() }),
  'index.activated': moved,
  'index.rolled_back': moved,
  'connector.paused': connector,
  'connector.resumed': connector,
  'answer.completed': declared({
    answer_id: Id,
    outcome: Short,
    usage: Type.Record(Type.String(), Type.Unknown()),
  }),
} as const

type Of = {
  readonly tenant_id: string
  readonly aggregate_type: 'document' | 'collection' | 'connector' | 'answer'
  readonly id: string
  readonly version: number
}

export function announce(
  tx: Pick<Tx, 'emit'>,
  type: keyof typeof events,
  { tenant_id, aggregate_type, id, version }: Of,
  data: object,
): void {
  tx.emit({ type, tenant_id, aggregate_type, aggregate_id: id, aggregate_version: version, data })
}
