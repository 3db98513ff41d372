/** The first stage: detects the type of the bytes, and whether their content is refused. */
import { rfc3339 } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import type { FileRow } from '../files/file-row.ts'
import { isBlocked } from '../scanning/blocked-hashes.ts'
import { nameFits } from '../media-types.ts'
import type { Kernel } from '../settings.ts'
import { withLocalCopy } from './local-copy.ts'
import type { Found } from './stages.ts'

export async function detectFile(deps: Deps, file: FileRow, signal: AbortSignal): Promise<Found> {
  const { kernel, inspectors } = deps
  if (await isBlocked(kernel.db, file.sha256)) {
    const scan_result = {
      ...resultOf(kernel, file, 'malware_detected'),
      findings: ['blocked_hash'],
    }
    return { refused: 'malware_detected', scan_result }
  }
  const inspection = await withLocalCopy(deps, file, signal, path =>
    inspectors.inspect(
      {
        path,
        sha256: file.sha256.toString('hex'),
        category: file.media_category,
        claimed_type: file.claimed_type,
      },
      { tenant_id: file.tenant_id, signal },
    ),
  )
  const { detected_type, metadata } = inspection
  const named = nameFits(file.filename, detected_type)
  const refused = inspection.refused ?? (named ? null : 'type_mismatch')
  return {
    detected_type: detected_type.slice(0, 200),
    refused,
    metadata,
    scan_result: resultOf(kernel, file, refused),
  }
}

function resultOf(
  { clock }: Pick<Kernel, 'clock'>,
  file: FileRow,
  refused: string | null,
): NonNullable<Found['scan_result']> {
  const refusal = refused === 'malware_detected' ? 'infected' : 'policy_violation'
  return {
    // Only a scanner, the next stage, says that a file is clean.
    verdict: refused === null ? 'not_scanned' : refusal,
    engines: [{ name: 'policy', version: '1', signatures: null }],
    sha256: file.sha256.toString('hex'),
    scanned_at: rfc3339(clock.nowMs()),
    findings: refused === null ? [] : [refused],
  }
}
