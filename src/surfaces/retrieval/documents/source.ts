/** The source of a document in a request: text, an uploaded file of the caller, or a URL. */
import { Problem, SafeFetchFailure, type Principal, type Tx } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { checksumOf, type NewDocument } from './add-document.ts'
import type { AddDocument } from './schemas.ts'

type Source = Omit<NewDocument, 'collection_id' | 'created_by'>

const blocked = /^(blocked_|invalid_url)/

/** Runs before the transaction: a URL that may never be fetched is refused immediately. */
export async function inspectSource(
  { fetch }: Pick<Deps, 'fetch'>,
  { text, file_id, source_uri }: AddDocument,
): Promise<undefined> {
  const given = [text, file_id].filter(one => one !== undefined).length
  if (given > 1 || (given === 0 && source_uri === undefined)) {
    throw problem('validation_failed', {
      detail: 'Send exactly one of `text`, `file_id` and `source_uri` alone.',
      errors: [{ location: 'body', pointer: '', constraint: 'oneOf' }],
    })
  }
  if (given === 0 && source_uri !== undefined) await inspectUrl(fetch, source_uri)
  return undefined
}

/** If a name does not resolve now, the job tries again later. */
export async function inspectUrl(fetch: Deps['fetch'], url: string): Promise<void> {
  try {
    await fetch.inspect(url)
  } catch (error) {
    if (!(error instanceof SafeFetchFailure)) throw error
    if (blocked.test(error.reason)) throw problem('destination_blocked')
  }
}

export async function sourceOf(
  tx: Tx,
  deps: Pick<Deps, 'files' | 'kernel'>,
  principal: Principal,
  given: AddDocument,
): Promise<Source> {
  const { text, file_id, source_uri = null, source_version = null, acl = null } = given
  const named = {
    source_version,
    metadata: given.metadata ?? {},
    acl,
    source_uri,
    title: given.title ?? null,
  }
  if (text !== undefined) {
    const content_type = given.content_type ?? 'text/plain'
    return { ...named, source_kind: 'text', text, content_type, checksum: checksumOf(text) }
  }
  if (file_id === undefined) {
    const fetched = { source_kind: 'uri', content_type: null, checksum: null } as const
    return { ...named, ...fetched, fetch_uri: source_uri ?? '' }
  }
  const file = await usableFile(tx, deps, principal, file_id)
  return {
    ...named,
    source_kind: 'file',
    file_id,
    content_type: file.detected_type,
    checksum: file.sha256,
    title: named.title ?? file.filename?.slice(0, 300) ?? null,
  }
}

/** The file must be available and the caller's own upload for `document_ingest`. */
async function usableFile(
  tx: Tx,
  { files, kernel }: Pick<Deps, 'files' | 'kernel'>,
  principal: Principal,
  file_id: string,
) {
  try {
    const file = await files.requireAvailable(tx, principal, file_id, ['document_ingest'])
    if (file.size > kernel.settings['retrieval.document_bytes']) throw problem('document_too_large')
    return file
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error
    throw problem('file_not_available', {
      detail:
        'No available file of yours for `document_ingest` has this id. Upload it with that purpose, and wait until it is available.',
    })
  }
}
