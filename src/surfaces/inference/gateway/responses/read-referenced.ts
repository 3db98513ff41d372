/**
 * The items of stored responses that a request names by their ids, as the AI SDK of Vercel sends the
 * messages and thoughts of earlier answers. Calls of tools come whole.
 */
import { isId } from '#dodeca/kernel'
import { readOutputs, type Owner } from '../../operations/chain.ts'
import { message, type Item } from '../../providers/form.ts'
import type { Kernel } from '../../settings.ts'
import { problem } from '../../errors.ts'

type Given = { readonly type?: string; readonly id?: string | null }

export async function readReferenced(
  kernel: Pick<Kernel, 'keys' | 'db'>,
  owner: Owner,
  items: readonly Given[],
): Promise<(id: string) => Item[]> {
  const named = items.filter(one => one.type === 'item_reference').map(one => placeOf(one.id ?? ''))
  const ids = new Set(named.map(one => one.operation_id))
  const outputs = await readOutputs(kernel.db, kernel, owner, ids)
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
