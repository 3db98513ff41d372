/** Loads the bytes of a document version: its text, an uploaded file, or the content of its URL. */
import { buffer } from 'node:stream/consumers'
import { JobFailure, newId, openFairPlaces, SafeFetchFailure, sql } from '#dodeca/kernel'
import type { RunningJob } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { checksumOf } from '../documents/add-document.ts'
import type { IngestedVersion } from './read-version.ts'

export type Fetched = {
  readonly body: Buffer
  readonly content_type: string | null
  readonly source_version: string | null
}

/** Few concurrent fetches in a process, shared fairly by tenants, because a fetch may hold 50 MiB. */
export function openFetching({ kernel, fetch }: Pick<Deps, 'kernel' | 'fetch'>) {
  const places = openFairPlaces(kernel.settings['retrieval.fetches'])
  return async (url: string, { tenant_id, signal }: Pick<RunningJob, 'tenant_id' | 'signal'>) => {
    const leave = await places.take(tenant_id, signal)
    try {
      return await fetchUrl({ kernel, fetch }, url, signal)
    } finally {
      leave()
    }
  }
}

async function fetchUrl(
  { kernel: { settings }, fetch }: Pick<Deps, 'kernel' | 'fetch'>,
  url: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const limit_ms = settings['retrieval.fetch_seconds'] * 1000
  try {
    const { status, headers, body } = await fetch(url, {
      deadline_ms: limit_ms,
      body_timeout_ms: limit_ms,
      max_body_bytes: settings['retrieval.document_bytes'],
      over_limit: 'fail',
      signal,
    })
    if (status !== 200) {
      throw new JobFailure('fetch_failed', { retryable: status >= 500 || status === 429 })
    }
    const source_version = headers['etag'] ?? headers['last-modified']
    return {
      body,
      content_type: mediaType(headers['content-type']),
      source_version: typeof source_version === 'string' ? source_version.slice(0, 200) : null,
    }
  } catch (error) {
    if (!(error instanceof SafeFetchFailure)) throw error
    if (/^(blocked_|invalid_url)/.test(error.reason)) {
      throw new JobFailure('fetch_blocked', { cause: error })
    }
    const retryable = !['too_large', 'too_many_redirects'].includes(error.reason)
    throw new JobFailure('fetch_failed', { retryable, cause: error })
  }
}

function mediaType(header: string | string[] | undefined): string | null {
  const first = Array.isArray(header) ? header[0] : header
  return first?.split(';', 1)[0]?.trim().toLowerCase() ?? null
}

/** The row names the object before the object is written, so that a deletion finds it. */
export async function keepFetched(
  { kernel: { db, objects } }: Pick<Deps, 'kernel'>,
  { tenant_id, document_id, version }: IngestedVersion,
  { body, content_type, source_version }: Fetched,
): Promise<void> {
  const key = `retrieval/${newId()}`
  const at = sql`tenant_id = ${tenant_id} and document_id = ${document_id} and version = ${version}`
  await db.run(sql`
    update retrieval.document_versions set blob_key = ${key}
    where tenant_id = ${tenant_id} and ${at}`)
  await objects.put(key, body)
  await db.run(sql`
    update retrieval.document_versions set checksum = ${checksumOf(body)},
      content_type = coalesce(content_type, ${content_type}),
      source_version = coalesce(source_version, ${source_version})
    where tenant_id = ${tenant_id} and ${at}`)
}

export async function readSource(
  { kernel: { objects }, files }: Pick<Deps, 'kernel' | 'files'>,
  { tenant_id, input_text, file_id, blob_key }: IngestedVersion,
): Promise<Buffer> {
  if (input_text !== null) return Buffer.from(input_text)
  if (file_id !== null) {
    // The file may have been deleted or refused since the document was added.
    const found = await files.read({ tenant_id, file_id })
    if (!found) throw new JobFailure('file_not_available')
    return await buffer(found.body)
  }
  const found = blob_key === null ? undefined : await objects.get(blob_key)
  if (!found) throw new JobFailure('fetch_failed', { retryable: true })
  return await buffer(found.body)
}
