/**
 * The items of stored responses that a request names by their ids, as the AI SDK of Vercel sends the
 * messages and thoughts of earlier answers. Calls of tools come whole.
 */
import { isId } from '#dodeca/kernel'
import { bytes_max, calls_max, type Owner } from '../../operations/chain.ts'
import { readOutput, type Output } from '../../operations/contents.ts'
import { findOperation } from '../../operations/find-operation.ts'
import { message, type Item } from '../../providers/form.ts'
import type { Kernel } from '../../settings.ts'
import { problem } from '../../errors.ts'

type Given = { readonly type?: string; readonly id?: string | null }

export async function readReferenced(
  kernel: Pick<Kernel, 'keys' | 'db'>,
  { tenant_id, actor_id }: Owner,
  items: readonly Given[],
): Promise<(id: string) => Item[]> {
  const named = items.filter(one => one.type === 'item_reference').map(one => placeOf(one.id ?? ''))
  const ids = new Set(named.map(one => one.operation_id))
  if (ids.size > calls_max) throw problem('chain_too_long')
  const outputs = new Map<string, Output>()
  let bytes = 0
  for (const id of ids) {
    const row = await findOperation(kernel.db, { tenant_id, id: actor_id }, id)
    const output = row.store ? await readOutput(kernel.db, kernel, row) : undefined
    if (!output || row.state !== 'succeeded') throw problem('inference_not_found')
    bytes += JSON.stringify(output).length
    if (bytes > bytes_max) throw problem('chain_too_long')
    outputs.set(id, output)
  }
  return id => {
    const { kind, operation_id, at } = placeOf(id)
    const { text = '', sealed = [] } = outputs.get(operation_id) ?? {}
    const thought = sealed[at]
    if (kind === 'rs' && thought) return [thought]
    if (kind === 'msg' && text !== '') return [message('assistant', text)]
    throw problem('inference_not_found')
  }
}

/** `msg_<call>` and `rs_<call>_<index>`, as a response shows them. */
function placeOf(id: string) {
  const [kind = '', operation_id = '', at = '0'] = id.split('_')
  if (!isId(operation_id)) throw problem('inference_not_found')
  return { kind, operation_id, at: Number(at) }
}
