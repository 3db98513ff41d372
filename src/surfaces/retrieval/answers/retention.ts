/** The retention of answers. Their citations and texts are deleted with them. */
import { sql, type Retention } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'

export function answerRetention({ settings }: Pick<Kernel, 'settings'>): readonly Retention[] {
  const old = sql`exists (select from retrieval.answers a
    where a.tenant_id = t.tenant_id and a.created_at
      < kernel.now() - make_interval(days => ${settings['retrieval.answer_retention_days']})`
  return [
    {
      table: 'retrieval.citations',
      key: ['tenant_id', 'answer_id', 'rank'],
      where: sql`${old} and a.id = t.answer_id)`,
    },
    {
      table: 'retrieval.answer_texts',
      key: ['tenant_id', 'id'],
      where: sql`${old} and a.id = t.id)`,
    },
    {
      table: 'retrieval.answers',
      key: ['tenant_id', 'id'],
      where: sql`t.created_at
        < kernel.now() - make_interval(days => ${settings['retrieval.answer_retention_days']})`,
    },
  ]
}
