/**
 * The caller's answers to calls of tools that ask. One conditional update takes them, in the commit that
 * creates the call which carries them: so each answer counts once, in time, and for its own caller.
 */
import { Type } from 'typebox'
import { nullable, sql, type Tx } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import type { Call } from '../operations/call.ts'
import { noTool } from './offer.ts'

const Found = Type.Object({
  call_id: Type.String(),
  state: Type.String(),
  answered_by: nullable(Type.String()),
  is_late: Type.Boolean(),
})
const Taken = Type.Object({ call_id: Type.String() })

type Answering = Pick<Call, 'tenant_id' | 'id' | 'actor_id' | 'previous_id' | 'content'>

export async function takeApprovals(tx: Tx, call: Answering): Promise<void> {
  const { tenant_id, id, actor_id, previous_id, content } = call
  const { approvals = [] } = content
  if (previous_id === null) {
    throw noTool('/previous_id', 'Name the call that asked: an approval continues it.')
  }
  const taken = await tx.many(
    Taken,
    sql`
      update inference.tool_calls t
      set state = case when w.approve then 'running' else 'refused' end, answered_by = ${id},
        completed_at = case when not w.approve then kernel.now() end
      from ${sql.table(approvals, { id: 'text', approve: 'boolean' })} w
      where t.call_id = w.id and t.tenant_id = ${tenant_id} and t.id in (
        select l.id from inference.tool_calls l
        join inference.inference_operations o
          on o.tenant_id = l.tenant_id and o.id = l.operation_id and o.actor_id = ${actor_id}
        where l.tenant_id = ${tenant_id} and l.operation_id = ${previous_id}
          and l.call_id = any(${approvals.map(one => one.id)}::text[])
          and l.state = 'asked' and l.asked_until > kernel.now()
        order by l.id for update of l)
      returning t.call_id`,
  )
  const missed = approvals.find(one => !taken.some(({ call_id }) => call_id === one.id))
  if (missed) throw await whyMissed(tx, call, missed.id)
}

async function whyMissed(tx: Tx, { tenant_id, previous_id }: Answering, call_id: string) {
  const found = await tx.maybe(
    Found,
    sql`
      select call_id, state, answered_by,
        state = 'asked' and asked_until <= kernel.now() as is_late
      from inference.tool_calls
      where tenant_id = ${tenant_id} and operation_id = ${previous_id} and call_id = ${call_id}`,
  )
  if (!found) return noTool('/input', `The call before has no tool call ${call_id} that asks.`)
  if (found.is_late) return problem('approval_expired')
  const { state, answered_by } = found
  if (answered_by === null) return noTool('/input', `The tool call ${call_id} does not ask.`)
  const detail = `The tool call ${call_id} was answered by the call ${answered_by}. Read that one.`
  return problem('invalid_transition', { detail, current_state: state })
}
