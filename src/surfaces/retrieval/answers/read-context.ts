/** What a question follows: the words of the question before it, which narrow what is searched. */
import { Type } from 'typebox'
import type { Reader } from '../../../kernel/database/db.ts'
import { sql } from '../../../kernel/database/sql.ts'
import type { Deps } from '../deps.ts'
import type { Question } from './accept-question.ts'

const Earlier = Type.Object({ query: Type.String() })

export async function readContext(
  reader: Reader,
  _deps: Pick<Deps, 'people'>,
  { asker, context_ref }: Question,
): Promise<string[]> {
  if (context_ref === null) return []
  const earlier = await reader.maybe(
    Earlier,
    sql`
      select t.query from retrieval.answers a
      join retrieval.answer_texts t on t.tenant_id = a.tenant_id and t.id = a.id
      where a.tenant_id = ${asker.tenant_id} and a.id = ${context_ref}
        and a.actor_id = ${asker.id}`,
  )
  return earlier ? [earlier.query] : []
}
