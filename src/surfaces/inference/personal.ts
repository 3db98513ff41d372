/**
 * The data that inference stores about a person: the inputs and outputs of their calls, and what they
 * used. Erasing cancels running calls and deletes the texts, the metadata, the keys and the limits.
 * Usage rows stay with their tags, because billing needs them.
 */
import { Type } from 'typebox'
import { madeOf, nullable, personalRows, sql } from '#dodeca/kernel'
import type { Personal, PersonalAccount, Tx } from '#dodeca/kernel'
import type { Deps } from './deps.ts'
import { readContent, readOutput } from './operations/contents.ts'
import { cancel_topic } from './operations/calls.ts'
import { readSteps } from './tools/steps.ts'

const Made = Type.Object({
  tenant_id: Type.String(),
  id: Type.String(),
  workload: Type.String(),
  state: Type.String(),
  metadata: Type.Unknown(),
  tags: Type.Array(Type.String()),
  input_ref: nullable(Type.String()),
  output_ref: nullable(Type.String()),
  steps: Type.Integer(),
  created_at: Type.String(),
})
const Used = Type.Object({
  run: Type.Integer(),
  model_snapshot: nullable(Type.String()),
  input_tokens: Type.Integer(),
  cached_input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cost_amount: Type.String(),
  currency: Type.String(),
  counted_on: Type.String(),
  status: Type.String(),
})
const Own = Type.Object({ tenant_id: Type.String(), id: Type.String() })
const portion = 200

export function personalInference(deps: Deps): Personal {
  const { db } = deps.kernel
  const rows = personalRows(db, [
    {
      kind: 'inference',
      table: 'inference.inference_operations',
      owner: 'actor_id',
      view: madeOf(Made, async ({ tenant_id, input_ref, output_ref, steps, ...row }) => {
        const input = await readContent(db, deps.kernel, tenant_id, input_ref)
        const output = await readOutput(db, deps.kernel, { tenant_id, output_ref })
        const usage = await db.many(
          Used,
          sql`
            select run, model_snapshot, input_tokens, cached_input_tokens, output_tokens,
              round(estimated_cost_minor_units / 100, 8)::text as cost_amount, currency,
              counted_on::text, status
            from inference.generation_usage
            where tenant_id = ${tenant_id} and operation_id = ${row.id} order by run`,
        )
        return {
          ...row,
          input: input === undefined ? null : (JSON.parse(input) as unknown),
          output: output ?? null,
          ...(steps > 0 ? { steps: await stepsOf(deps, tenant_id, row.id) } : {}),
          usage,
        }
      }),
      erase: (tx, account) => eraseSome(tx, deps, account),
    },
    {
      table: 'inference.quota_limits',
      owner: ({ principal_ids }) =>
        sql`t.scope_type = 'principal' and t.scope_id = any(${principal_ids}::text[])`,
      key: ['scope_type', 'scope_id'],
      erase: 'delete',
    },
  ])
  return {
    ...rows,
    erase: async (account, signal) => {
      await rows.erase(account, signal)
      const { running } = await db.one(
        Type.Object({ running: Type.Integer() }),
        sql`
          -- any tenant: what one account made
          select count(*)::int as running from inference.inference_operations
          where actor_id = any(${account.principal_ids}::uuid[])
            and state in ('pending', 'running', 'reconciling')`,
      )
      // Retried later: a running call ends within seconds, and its texts are erased then.
      if (running > 0) throw new Error(`${running} calls of an erased account still run`)
    },
  }
}

/** What the model called for the person, and what came of it. */
async function stepsOf({ kernel }: Deps, tenant_id: string, id: string) {
  const { of } = await readSteps(kernel.db, kernel, tenant_id, [id])
  return (of.get(id) ?? []).map(({ text, calls }) => ({
    text,
    tool_calls: calls.map(({ row_id: _row, ...call }) => call),
  }))
}

async function eraseSome(
  tx: Tx,
  { jobs }: Deps,
  { principal_ids }: PersonalAccount,
): Promise<number> {
  const open = await tx.many(
    Type.Object({ ...Own.properties, job_id: nullable(Type.String()) }),
    sql`
      -- any tenant: what one account made
      update inference.inference_operations
      set cancel_requested_at = kernel.now()
      where actor_id = any(${principal_ids}::uuid[])
        and state in ('pending', 'running', 'reconciling') and cancel_requested_at is null
      returning tenant_id, id, job_id`,
  )
  for (const { tenant_id, job_id } of open) {
    if (job_id !== null) await jobs.cancel(tx, { tenant_id, job_id }, 'account_erased')
  }
  if (open.length > 0) tx.wake(cancel_topic)
  const erased = await tx.many(
    Own,
    sql`
      -- any tenant: what one account made
      update inference.inference_operations
      set input_ref = null, output_ref = null, metadata = null, idempotency_key = null,
        request_fingerprint = null
      where (tenant_id, id) in (
        select tenant_id, id from inference.inference_operations
        where actor_id = any(${principal_ids}::uuid[]) and completed_at is not null
          and (exists (select from inference.contents c
              where c.tenant_id = inference_operations.tenant_id
                and c.operation_id = inference_operations.id)
            or input_ref is not null or output_ref is not null or metadata is not null
            or idempotency_key is not null)
        order by id limit ${portion})
      returning tenant_id, id`,
  )
  await tx.run(sql`
    -- any tenant: what one account made
    delete from inference.contents c
    using unnest(${erased.map(one => one.tenant_id)}::uuid[],
      ${erased.map(one => one.id)}::uuid[]) e (tenant_id, id)
    where c.tenant_id = e.tenant_id and c.operation_id = e.id`)
  return erased.length
}
