/** Cases for moderators: the list, and one case with its subject, even if the subject is hidden. */
import { Type, type Static } from 'typebox'
import { nullable, page, sql, type List, type Reader, type Sql } from '#dodeca/kernel'
import { problem } from '../errors.ts'
import { authorOf, AuthorRow } from '../schemas.ts'
import {
  Action,
  type Case,
  CaseReport,
  CaseSummary,
  reports_shown,
  type CaseState,
  type Subject,
  type SubjectType,
} from './schemas.ts'

const columns = sql`
  c.id, c.subject_type, c.subject_id, c.state, c.category, c.priority, c.report_count,
  c.assigned_to, c.version, c.created_at, c.resolved_at`

/** The most urgent first, then the oldest. */
export function listCases(
  reader: Reader,
  scope: List,
  tenant_id: string,
  state: CaseState | undefined,
) {
  const wanted = state ? sql`c.state = ${state}` : sql`true`
  return page(reader, {
    scope,
    row: CaseSummary,
    place: ['priority', 'id'],
    fetch: (after, n) => sql`
      select ${columns} from social.moderation_cases c
      where c.tenant_id = ${tenant_id} and ${wanted}
        and (${after.priority}::int is null or c.priority < ${after.priority}
          or (c.priority = ${after.priority} and c.id > ${after.id}::uuid))
      order by c.priority desc, c.id limit ${n}`,
  })
}

const Row = Type.Object({ ...CaseSummary.properties, appeal_statement: nullable(Type.String()) })

export async function showCase(reader: Reader, tenant_id: string, id: string): Promise<Case> {
  const row = await reader.maybe(
    Row,
    sql`
      select ${columns}, c.appeal_statement from social.moderation_cases c
      where c.tenant_id = ${tenant_id} and c.id = ${id}`,
  )
  if (!row) throw problem('moderation_case_not_found')
  const actions = await reader.many(
    Action,
    sql`
      select id, action, outcome, reason_code, statement, actor_id, created_at
      from social.moderation_actions
      where tenant_id = ${tenant_id} and case_id = ${id} order by id`,
  )
  // Without their authors: a decision does not depend on who reported.
  const reports = await reader.many(
    CaseReport,
    sql`
      select id, category, note, created_at from social.moderation_reports
      where tenant_id = ${tenant_id} and case_id = ${id} order by id desc limit ${reports_shown}`,
  )
  const subject = await findSubject(reader, tenant_id, row.subject_type, row.subject_id)
  return { ...row, subject, actions, reports }
}

const SubjectRow = Type.Object({
  ...AuthorRow,
  body: nullable(Type.String()),
  moderation_state: Type.String(),
  created_at: Type.String(),
})

async function findSubject(
  reader: Reader,
  tenant_id: string,
  type: SubjectType,
  id: string,
): Promise<Subject | null> {
  const row = await reader.maybe(SubjectRow, subjectStatement(tenant_id, type, id))
  return row ? subjectOf(row) : null
}

function subjectOf(row: Static<typeof SubjectRow>): Subject {
  const { body, moderation_state, created_at } = row
  return { author: authorOf(row), body, moderation_state, created_at }
}

function subjectStatement(tenant_id: string, type: SubjectType, id: string): Sql {
  const author = sql`u.handle, u.display_name, u.avatar_file_id`
  if (type === 'user') {
    return sql`
      select u.id as author_id, ${author}, u.bio as body, u.moderation_state, u.created_at
      from social.users u
      where u.tenant_id = ${tenant_id} and u.id = ${id} and u.deleted_at is null`
  }
  if (type === 'comment') {
    return sql`
      select c.author_id, ${author}, c.body, c.moderation_state, c.created_at
      from social.comments c
      join social.users u on u.tenant_id = c.tenant_id and u.id = c.author_id
      where c.tenant_id = ${tenant_id} and c.id = ${id} and c.deleted_at is null`
  }
  return sql`
    select p.author_id, ${author}, b.body, p.moderation_state, p.created_at
    from social.posts p
    join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
    left join social.post_bodies b on b.tenant_id = p.tenant_id and b.id = p.body_ref
    where p.tenant_id = ${tenant_id} and p.id = ${id} and p.deleted_at is null`
}
