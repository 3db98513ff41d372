/**
 * The result of an attempt: JSON in its own row, or a reference to bytes that were stored before.
 */
import { hash } from 'node:crypto'
import { newId, sql, type Tx } from '#dodeca/kernel'
import type { Held } from './hold-attempts.ts'

/** `body` is null if the row exists already. */
export type Result = { readonly id: string; readonly body: Buffer | null }

const json_result_bytes = 256 * 1024

export class ResultTooLarge extends Error {
  override readonly name = 'ResultTooLarge'
}

export function jsonResult(value: unknown): Result | null {
  if (value === undefined) return null
  const body = Buffer.from(JSON.stringify(value))
  if (body.length > json_result_bytes) {
    throw new ResultTooLarge(
      `a result has ${body.length} bytes as JSON, and ${json_result_bytes} are the limit; store larger ones as bytes`,
    )
  }
  return { id: newId(), body }
}

export async function writeResults(
  tx: Tx,
  results: readonly { readonly held: Held; readonly result: Result | null }[],
): Promise<void> {
  const made = results.flatMap(({ held, result }) =>
    result?.body ? [{ held, id: result.id, body: result.body }] : [],
  )
  if (made.length === 0) return
  await tx.run(sql`
    insert into jobs.job_results (id, job_id, tenant_id, attempt_id, media_type, size,
      checksum_sha256, body)
    select r.id, r.job_id, r.tenant_id, r.attempt_id, 'application/json', octet_length(r.body),
      r.checksum, r.body
    from unnest(
      ${made.map(({ id }) => id)}::uuid[],
      ${made.map(({ held }) => held.job_id)}::uuid[],
      ${made.map(({ held }) => held.tenant_id)}::uuid[],
      ${made.map(({ held }) => held.attempt_id)}::uuid[],
      ${made.map(({ body }) => hash('sha256', body, 'buffer'))}::bytea[],
      ${made.map(({ body }) => body)}::bytea[]
    ) r (id, job_id, tenant_id, attempt_id, checksum, body)`)
}
