/**
 * The earlier answer that a question follows. Its question is always used, and its text is used
 * only if the caller may still read it. If the answer was redacted, only its question is used.
 */
import { Type } from 'typebox'
import { sql, type Reader } from '#dodeca/kernel'
import type { Caller } from '../access/principals.ts'
import type { Question } from './accept-question.ts'
import { answerView, findAnswer } from './show-answer.ts'

export type Context = { readonly query: string; readonly text: string | null }

const Earlier = Type.Object({ query: Type.String() })

export async function readContext(
  reader: Reader,
  caller: Caller,
  { asker, context_ref }: Question,
): Promise<Context[]> {
  if (context_ref === null) return []
  const { tenant_id } = asker
  const earlier = await reader.maybe(
    Earlier,
    sql`
      select t.query from retrieval.answers a
      join retrieval.answer_texts t on t.tenant_id = a.tenant_id and t.id = a.id
      where a.tenant_id = ${tenant_id} and a.id = ${context_ref} and a.actor_id = ${asker.id}`,
  )
  const stored = earlier && (await findAnswer(reader, tenant_id, context_ref))
  if (!stored) return []
  const { text } = await answerView(reader, caller, stored)
  return [{ query: earlier.query, text }]
}
