/**
 * Inputs and outputs, sealed under the platform's keyring and found by reference. They are stored
 * as bytes, because an output may contain U+0000. Contents that should not be stored are erased
 * when no retry can need them.
 */
import { Type } from 'typebox'
import { newId, sql, type Reader, type SealedColumn, type Tx } from '#dodeca/kernel'
import type { Input, Sealed, Tool, ToolCall, ToolChoice } from '../providers/form.ts'
import type { ResponseFormat } from '../providers/provider.ts'
import type { Kernel } from '../settings.ts'

/** Text that a person wrote. */
export type Content = {
  readonly input: Input
  readonly tools?: readonly Tool[]
  readonly tool_choice?: ToolChoice
  readonly instructions?: string
  readonly response_format?: ResponseFormat
}

/** What a model wrote. */
export type Output = {
  readonly text: string
  readonly tool_calls?: readonly ToolCall[]
  readonly sealed?: readonly Sealed[]
  /** The stop sequence that ended it. */
  readonly stop?: string
}

const use = 'inference.contents'
const placeOf = (id: string) => ({ table: use, id, column: 'sealed' })
const Sealed = Type.Object({ sealed: Type.Unsafe<Buffer>(Type.Any()) })

/** Ready for its row: sealed before the transaction that writes it. */
export type SealedContent = {
  readonly id: string
  readonly sealed: Buffer
  readonly hours: number
}

export function sealContent(
  { keys, settings }: Pick<Kernel, 'keys' | 'settings'>,
  store: boolean,
  text: string,
  id = newId(),
): SealedContent {
  const hours = store
    ? settings['inference.kept_days'] * 24
    : settings['kernel.idempotency_retention_hours']
  return { id, sealed: keys.seal(use, Buffer.from(text), placeOf(id)), hours }
}

export function keepContent(
  tx: Tx,
  { tenant_id, id }: { readonly tenant_id: string; readonly id: string },
  { id: content_id, sealed, hours }: SealedContent,
): void {
  tx.atCommit(sql`
    insert into inference.contents (tenant_id, id, operation_id, sealed, erase_at)
    values (${tenant_id}, ${content_id}, ${id}, ${sealed},
      kernel.now() + make_interval(hours => ${hours}))`)
}

/** Undefined after it was erased. */
export async function readContent(
  reader: Reader,
  { keys }: Pick<Kernel, 'keys'>,
  tenant_id: string,
  id: string | null,
): Promise<string | undefined> {
  if (id === null) return undefined
  const row = await reader.maybe(
    Sealed,
    sql`select sealed from inference.contents where tenant_id = ${tenant_id} and id = ${id}`,
  )
  return row && openContentOf({ keys }, id, row.sealed)
}

export function openContentOf({ keys }: Pick<Kernel, 'keys'>, id: string, sealed: Buffer): string {
  return keys.open(use, sealed, placeOf(id)).toString()
}

/** Undefined if there was none, or after it was erased. */
export async function readOutput(
  reader: Reader,
  kernel: Pick<Kernel, 'keys'>,
  { tenant_id, output_ref }: { readonly tenant_id: string; readonly output_ref: string | null },
): Promise<Output | undefined> {
  const text = await readContent(reader, kernel, tenant_id, output_ref)
  return text === undefined ? undefined : (JSON.parse(text) as Output)
}

export const sealedContents: SealedColumn = {
  table: use,
  key: ['tenant_id', 'id'],
  column: 'sealed',
  use,
  place: row => placeOf(String(row['id'])),
}
