/**
 * The encrypted thoughts of a model that called tools. Most clients send back only the calls and
 * their results, and the model would have to think again, or its provider would refuse. So the
 * thoughts are kept for a day beside the contents of their call, under an id that is made from the
 * caller and the id of the tool call.
 */
import { Type } from 'typebox'
import { sql, type Reader, type Sql } from '#dodeca/kernel'
import type { Input, Item } from '../providers/form.ts'
import type { Kernel } from '../settings.ts'
import type { Owner } from './chain.ts'
import { openContentOf, sealContent, type Output } from './contents.ts'

const Kept = Type.Object({ id: Type.String(), sealed: Type.Unsafe<Buffer>(Type.Any()) })

/** A part of the statement that settles a call. `ended` is its operation. */
export function keepThoughts(
  kernel: Pick<Kernel, 'keys' | 'settings'>,
  owner: Owner,
  output: Output | null,
): Sql {
  const [first] = output?.tool_calls ?? []
  if (!first || !output?.sealed) return sql.empty
  const id = idOf(kernel, owner, first.id)
  const { sealed, hours } = sealContent(kernel, false, JSON.stringify(output.sealed), id)
  return sql`, thoughts as (
    insert into inference.contents (tenant_id, id, operation_id, sealed, erase_at)
    select e.tenant_id, ${id}, e.id, ${sealed}, e.completed_at + make_interval(hours => ${hours})
    from ended e
    on conflict (tenant_id, id) do update set operation_id = excluded.operation_id,
      sealed = excluded.sealed, erase_at = excluded.erase_at)`
}

/** Puts the thoughts of the caller's models before their calls, where the client left them out. */
export async function restoreThoughts(
  reader: Reader,
  kernel: Pick<Kernel, 'keys'>,
  owner: Owner,
  input: Input,
): Promise<Input> {
  if (typeof input === 'string' || input.some(item => item.type === 'sealed')) return input
  const calls = input.flatMap(item => (item.type === 'tool_call' ? item.id : []))
  if (calls.length === 0) return input
  const ids = calls.map(call => idOf(kernel, owner, call))
  const rows = await reader.many(
    Kept,
    sql`
      select id, sealed from inference.contents
      where tenant_id = ${owner.tenant_id} and id = any(${ids}::uuid[])
        and erase_at > kernel.now()`,
  )
  const kept = new Map(rows.map(({ id, sealed }) => [id, openContentOf(kernel, id, sealed)]))
  return input.flatMap((item): Item[] => {
    const text = item.type === 'tool_call' && kept.get(idOf(kernel, owner, item.id))
    return text ? [...(JSON.parse(text) as Item[]), item] : [item]
  })
}

function idOf({ keys }: Pick<Kernel, 'keys'>, { tenant_id, actor_id }: Owner, call: string) {
  const print = keys.fingerprint('inference.thoughts', `${tenant_id}|${actor_id}|${call}`)
  const hex = print.toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
