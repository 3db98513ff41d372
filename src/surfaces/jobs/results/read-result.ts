/** Finds the result of a job, and returns its bytes from wherever they are stored. */
import { Readable } from 'node:stream'
import { Type, type Static } from 'typebox'
import { nullable, sql, type Reader } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Bytes } from '../schemas.ts'

const Facts = Type.Object({
  media_type: Type.String(),
  size: Type.Integer(),
  checksum_sha256: Bytes,
})
export type ResultFacts = Static<typeof Facts>

/** Undefined if its retention has ended. */
export async function factsOf(
  reader: Reader,
  { tenant_id, result_ref }: { readonly tenant_id: string; readonly result_ref: string },
): Promise<ResultFacts | undefined> {
  return await reader.maybe(
    Facts,
    sql`
    select media_type, size, checksum_sha256 from jobs.job_results
    where tenant_id = ${tenant_id} and id = ${result_ref}`,
  )
}

const Stored = Type.Object({
  tenant_id: Type.String(),
  ...Facts.properties,
  body: nullable(Bytes),
  blob_key: nullable(Type.String()),
})

export type OpenedResult = ResultFacts & { readonly bytes: Readable }

export async function openResult(
  reader: Reader,
  { kernel: { objects }, rights }: Pick<Deps, 'kernel' | 'rights'>,
  result_id: string,
): Promise<OpenedResult | undefined> {
  const row = await reader.maybe(
    Stored,
    sql`
    -- any tenant: the signature of the address is what grants this
    select tenant_id, media_type, size, checksum_sha256, body, blob_key from jobs.job_results
    where id = ${result_id}`,
  )
  if (!row || !(await rights.isOpen(reader, row.tenant_id))) return undefined
  const { tenant_id: _, body, blob_key, ...facts } = row
  if (body) return { ...facts, bytes: Readable.from([body], { objectMode: false }) }
  const found = await objects.get(blob_key ?? '')
  return found && { ...facts, bytes: found.body }
}
