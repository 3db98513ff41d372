/**
 * The second stage: clamd scans the bytes. A file that clamd cannot read is refused, never passed.
 */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { rfc3339 } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { FileRow } from '../files/file-row.ts'
import { Refused } from '../processing/inspector-protocol.ts'
import { missingObject } from '../processing/local-copy.ts'
import type { Found } from '../processing/stages.ts'
import { ScannerUnavailable } from './clamd.ts'

export async function scanFile(
  { kernel, store, clamd }: Deps,
  file: FileRow,
  signal: AbortSignal,
): Promise<Found> {
  // The scanner was removed from the configuration meanwhile.
  if (!clamd) return {}
  const { settings, objects, clock } = kernel
  if (file.size > settings['uploads.scan_max_bytes']) throw new Refused('scan_limit_exceeded')
  const found = await objects.get(file.storage_key)
  if (!found) throw await missingObject(store, file.storage_key)
  const until = AbortSignal.any([
    signal,
    AbortSignal.timeout(settings['uploads.scan_seconds'] * 1000),
  ])
  const digest = createHash('sha256')
  try {
    const version = await clamd.version(until)
    const verdict = await clamd.scan(hashed(found.body, digest), until)
    const refused = refusalOf(verdict)
    if (refused === null && !digest.digest().equals(file.sha256))
      throw new Refused('object_altered')
    return {
      refused,
      scan_result: {
        verdict: verdict.kind === 'found' ? 'infected' : verdict.kind,
        engines: [
          { name: 'policy', version: '1', signatures: null },
          { name: 'clamd', ...version },
        ],
        sha256: file.sha256.toString('hex'),
        scanned_at: rfc3339(clock.nowMs()),
        findings: verdict.kind === 'found' ? [verdict.name] : [],
      },
    }
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof ScannerUnavailable) {
      kernel.log.warn({ err: error, file_id: file.id }, 'the scanner did not answer')
      return { unavailable: true }
    }
    throw error
  } finally {
    found.body.destroy()
  }
}

async function* hashed(body: Readable, digest: ReturnType<typeof createHash>) {
  for await (const chunk of body as AsyncIterable<Buffer>) {
    digest.update(chunk)
    yield chunk
  }
}

function refusalOf(verdict: { kind: string; name?: string }) {
  if (verdict.kind === 'clean') return null
  if (verdict.kind === 'limit_exceeded') return 'scan_limit_exceeded'
  return verdict.name?.startsWith('Heuristics.Encrypted') ? 'encrypted_content' : 'malware_detected'
}
