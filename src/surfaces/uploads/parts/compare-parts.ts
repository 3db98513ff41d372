/** Compares the parts that the client lists with the stored parts. */
import type { FieldError } from '#dodeca/kernel'
import type { CompleteUpload } from '../schemas.ts'
import type { PartRow } from '../uploads/upload-row.ts'

type Claimed = NonNullable<CompleteUpload['parts']>

export function compareParts(
  claimed: Claimed,
  stored: readonly Pick<PartRow, 'part_number' | 'etag' | 'size' | 'sha256'>[],
): FieldError[] {
  const known = new Map(stored.map(one => [one.part_number, one]))
  const seen = new Set<number>()
  return claimed.flatMap((part, index) => {
    const { part_number } = part
    const found = known.get(part_number)
    const differs = (constraint: string): FieldError => ({
      location: 'body',
      pointer: `/parts/${index}`,
      constraint,
      params: { part_number },
    })
    if (seen.has(part_number)) return [differs('unexpected')]
    seen.add(part_number)
    if (!found) return [differs('missing')]
    if (part.size !== undefined && part.size !== found.size) return [differs('size')]
    if (part.etag !== undefined && bare(part.etag) !== found.etag) return [differs('etag')]
    const digest = found.sha256 && `sha256:${found.sha256.toString('hex')}`
    if (part.checksum !== undefined && digest && part.checksum.toLowerCase() !== digest) {
      return [differs('checksum')]
    }
    return []
  })
}

function bare(etag: string): string {
  return etag.replaceAll(/^(?:W\/)?"|"$/g, '')
}
