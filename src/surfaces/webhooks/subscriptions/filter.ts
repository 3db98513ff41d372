/**
 * Checks the types of a subscription: a caller may subscribe to known types of a known version that
 * the caller may read.
 */
import { lacks, type FieldError, type Reader, mayRead } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { api_versions, type EventFilter } from '../schemas.ts'

export async function demandFilter(
  reader: Reader,
  { types }: Pick<Deps, 'types'>,
  filter: EventFilter,
  grants: ReadonlySet<string>,
): Promise<void> {
  await types.fresh(reader)
  const unknown = filter.types.flatMap((pattern, at): FieldError[] =>
    types.known(pattern)
      ? []
      : [{ location: 'body', pointer: `/event_filter/types/${at}`, constraint: 'event_type' }],
  )
  if (unknown.length > 0) throw problem('event_type_unknown', { errors: unknown.slice(0, 20) })
  demandReadable(filter.types, grants)
}

export function demandReadable(types: readonly string[], grants: ReadonlySet<string>): void {
  const refused = types.find(pattern => !mayRead(grants, pattern))
  if (refused !== undefined) {
    throw lacks(`webhooks.events.read:${refused}`)
  }
}

export function demandApiVersion(version: string): void {
  if (api_versions.some(one => one === version)) return
  throw problem('api_version_unsupported', {
    detail: `Known versions: ${api_versions.join(', ')}.`,
    errors: [{ location: 'body', pointer: '/api_version', constraint: 'api_version' }],
  })
}
