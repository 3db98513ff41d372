/**
 * The affected person appeals an action, once and in time, and reads the decisions and their
 * reasons.
 */
import { Type } from 'typebox'
import { page, sql, type List, type Reader, type Tx } from '#dodeca/kernel'
import type { Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireText } from '../text.ts'
import { Decision } from './schemas.ts'

const Locked = Type.Object({
  state: Type.String(),
  appealed: Type.Boolean(),
  late: Type.Boolean(),
})

export async function appeal(
  tx: Tx,
  person: Person,
  case_id: string,
  given: string,
  appeal_days: number,
): Promise<string> {
  const { tenant_id, id } = person
  const statement = requireText(given, 'statement', { graphemes: 2000, bytes: 8000 })
  const found = await tx.maybe(
    Locked,
    sql`
      select state, appealed_at is not null as appealed,
        resolved_at < kernel.now() - make_interval(days => ${appeal_days}) as late
      from social.moderation_cases
      where tenant_id = ${tenant_id} and id = ${case_id} and subject_author_id = ${id}
        and resolved_at is not null and state <> 'dismissed' for no key update`,
  )
  if (!found) throw problem('moderation_case_not_found')
  if (found.appealed) throw problem('already_appealed')
  if (found.state !== 'actioned') {
    throw problem('invalid_transition', {
      current_state: found.state,
      detail: 'The action was taken back. There is nothing to appeal.',
    })
  }
  if (found.late) {
    throw problem('appeal_window_closed', {
      detail: `A decision may be appealed for ${appeal_days} days.`,
    })
  }
  await tx.run(sql`
    update social.moderation_cases
    set state = 'appealed', version = version + 1, appeal_statement = ${statement},
      appealed_at = kernel.now()
    where tenant_id = ${tenant_id} and id = ${case_id}`)
  return statement
}

const Row = Type.Object({ id: Type.String(), ...Decision.properties })

/** The decisions about the caller, newest first. The moderator is not shown. */
export function listDecisions(reader: Reader, scope: List, person: Person, appeal_days: number) {
  const { tenant_id, id } = person
  return page(reader, {
    scope,
    row: Row,
    place: ['id'],
    view: ({ id: _id, ...decision }) => decision,
    fetch: (after, n) => sql`
      select a.id, a.case_id, c.subject_type, c.subject_id, a.action, a.outcome, a.reason_code,
        a.statement, a.created_at,
        case when c.state = 'actioned' and c.appealed_at is null
          then c.resolved_at + make_interval(days => ${appeal_days}) end as appeal_until
      from social.moderation_cases c
      join social.moderation_actions a on a.tenant_id = c.tenant_id and a.case_id = c.id
      where c.tenant_id = ${tenant_id} and c.subject_author_id = ${id}
        and a.action not in ('assign', 'dismiss')
        and (${after.id}::uuid is null or a.id < ${after.id}::uuid)
      order by a.id desc limit ${n}`,
  })
}
