/**
 * The thoughts of a model as a client carries them: sealed for its tenant, with their provider, so
 * that they return only to that one.
 */
import type { Kernel } from '../settings.ts'
import type { Sealed } from '../providers/form.ts'
import { problem } from '../errors.ts'

const use = 'inference.contents'
const placeOf = (tenant_id: string) => ({ table: 'inference.thoughts', id: tenant_id, column: '' })

export function sealThoughts(
  { keys }: Pick<Kernel, 'keys'>,
  tenant_id: string,
  { provider, data }: Sealed,
): string {
  const bytes = Buffer.from(JSON.stringify([provider, data]))
  return keys.seal(use, bytes, placeOf(tenant_id)).toString('base64url')
}

/** `pointer` is the member of the request. */
export function openThoughts(
  { keys }: Pick<Kernel, 'keys'>,
  tenant_id: string,
  text: string,
  pointer: string,
): Sealed {
  try {
    const opened = keys.open(use, Buffer.from(text, 'base64url'), placeOf(tenant_id)).toString()
    const [provider, data] = JSON.parse(opened) as [string, string]
    return { type: 'sealed', provider, data }
  } catch (error) {
    const detail = 'It is not from a call of your tenant, or it was changed. Leave the item out.'
    const errors = [{ location: 'body' as const, pointer, constraint: 'sealed' }]
    throw problem('validation_failed', { detail, errors }, { cause: error })
  }
}
