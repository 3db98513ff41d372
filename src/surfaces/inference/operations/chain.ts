/**
 * The conversation that a call continues: the inputs and outputs of the calls before it, oldest
 * first. Each call stores only its own, so that deleting one deletes its text everywhere. All calls
 * of a chain belong to the caller, succeeded and are still stored.
 */
import { Type } from 'typebox'
import { isId, limit, nullable, sql, type Reader } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { itemsOf, message, type Item } from '../providers/form.ts'
import type { Kernel } from '../settings.ts'
import { itemsOfSteps, readSteps } from '../tools/steps.ts'
import { openContentOf, type Content, type Output } from './contents.ts'

export const calls_max = limit(
  'inference.chain_calls',
  64,
  'calls',
  'Most calls of one conversation',
)
export const bytes_max = limit(
  'inference.chain_bytes',
  4 * 1024 * 1024,
  'bytes',
  'Longest conversation of earlier calls that a call may continue',
)

const Bytes = nullable(Type.Unsafe<Buffer>(Type.Any()))
const Link = Type.Object({
  id: Type.String(),
  steps: Type.Integer(),
  bytes: Type.Integer(),
  input_ref: nullable(Type.String()),
  output_ref: nullable(Type.String()),
  input: Bytes,
  output: Bytes,
  previous_id: nullable(Type.String()),
})

export type Owner = { readonly tenant_id: string; readonly actor_id: string }

export async function readChain(
  reader: Reader,
  kernel: Pick<Kernel, 'keys'>,
  { tenant_id, actor_id }: Owner,
  previous_id: string | null,
): Promise<readonly Item[]> {
  if (previous_id === null) return []
  if (!isId(previous_id)) throw problem('inference_not_found')
  const links = await reader.many(
    Link,
    sql`
      with recursive chain as (
        select o.id, o.steps, o.previous_id, o.input_ref, o.output_ref, 1 as depth
        from inference.inference_operations o
        where o.tenant_id = ${tenant_id} and o.id = ${previous_id} and o.actor_id = ${actor_id}
          and o.state = 'succeeded' and o.store
        union all
        select o.id, o.steps, o.previous_id, o.input_ref, o.output_ref, c.depth + 1
        from chain c
        join inference.inference_operations o on o.tenant_id = ${tenant_id}
          and o.id = c.previous_id and o.actor_id = ${actor_id}
          and o.state = 'succeeded' and o.store
        where c.depth <= ${calls_max}
      ), sized as (
        select c.*, i.sealed as input, o.sealed as output,
          sum(coalesce(octet_length(i.sealed), 0) + coalesce(octet_length(o.sealed), 0))
            over ()::int as bytes
        from chain c
        left join inference.contents i on i.tenant_id = ${tenant_id} and i.id = c.input_ref
        left join inference.contents o on o.tenant_id = ${tenant_id} and o.id = c.output_ref
      )
      select id, steps, bytes, input_ref, output_ref, previous_id,
        case when bytes <= ${bytes_max} then input end as input,
        case when bytes <= ${bytes_max} then output end as output
      from sized order by depth desc`,
  )
  const [oldest] = links
  if (!oldest) throw problem('inference_not_found')
  if (links.length > calls_max || oldest.bytes > bytes_max) throw problem('chain_too_long')
  if (oldest.previous_id !== null) throw problem('inference_not_found')
  const acted = links.filter(one => one.steps > 0).map(one => one.id)
  const left = bytes_max - oldest.bytes
  const found =
    acted.length > 0 ? await readSteps(reader, kernel, tenant_id, acted, left) : undefined
  return links.flatMap(({ id, input_ref, output_ref, input, output }) => {
    if (input_ref === null || input === null) throw problem('inference_not_found')
    const content = JSON.parse(openContentOf(kernel, input_ref, input)) as Content
    const said =
      output_ref !== null && output !== null
        ? itemsOfOutput(JSON.parse(openContentOf(kernel, output_ref, output)) as Output)
        : []
    return [...itemsOf(content.input), ...itemsOfSteps(found?.of.get(id) ?? []), ...said]
  })
}

function itemsOfOutput({ text, tool_calls = [], sealed = [], of_step }: Output): Item[] {
  if (of_step) return []
  const said = text === '' ? [] : [message('assistant', text)]
  return [...sealed, ...said, ...tool_calls.map(call => ({ type: 'tool_call' as const, ...call }))]
}
