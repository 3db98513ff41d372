/**
 * Reports content that the caller can see. All open reports on one object are one case, and each
 * reporter counts once.
 */
import { Type } from 'typebox'
import { newId, sql, type Sql, type Tx } from '#dodeca/kernel'
import type { Deps, Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { requireWriter } from '../people/user-row.ts'
import { commentVisible, knowable, visible } from '../may-see.ts'
import { requireText } from '../text.ts'
import type { NewReport, SubjectType } from './schemas.ts'

const Seen = Type.Object({ author_id: Type.String() })
const Opened = Type.Object({ id: Type.String(), made: Type.Boolean() })
const Known = Type.Object({ id: Type.String() })
const priorities: Readonly<Record<string, number>> = {
  illegal: 3,
  self_harm: 3,
  violence: 3,
  hate: 2,
  sexual: 2,
  abuse: 2,
}

export type Reported = { readonly report_id: string; readonly made: boolean }

export async function report(
  tx: Tx,
  { kernel }: Pick<Deps, 'kernel'>,
  reporter: Person,
  { subject_type, subject_id, category, note }: NewReport,
): Promise<Reported> {
  const { tenant_id, id: reporter_id } = reporter
  await requireWriter(tx, reporter)
  const text =
    note === undefined ? null : requireText(note, 'note', { graphemes: 1000, bytes: 8000 })
  const seen = await tx.maybe(Seen, seenStatement(reporter, subject_type, subject_id))
  if (!seen) throw problem(`${subject_type}_not_found`)
  const known = await tx.maybe(
    Known,
    sql`
      select r.id from social.moderation_cases c
      join social.moderation_reports r
        on r.tenant_id = c.tenant_id and r.case_id = c.id and r.reporter_id = ${reporter_id}
      where c.tenant_id = ${tenant_id} and c.subject_type = ${subject_type}
        and c.subject_id = ${subject_id} and c.state in ('open', 'in_review')`,
  )
  if (known) return { report_id: known.id, made: false }
  const many = kernel.settings['social.reports_per_hour']
  await kernel.take(tx, [{ name: 'social.reports', of: reporter_id, many, per_seconds: 3600 }])
  const case_id = await openCase(
    tx,
    reporter,
    { subject_type, subject_id, category },
    seen.author_id,
  )
  return await addReport(tx, reporter, case_id, category, text)
}

function seenStatement(viewer: Person, subject_type: SubjectType, id: string): Sql {
  const { tenant_id } = viewer
  if (subject_type === 'user') {
    return sql`
      select u.id as author_id from social.users u
      where u.tenant_id = ${tenant_id} and u.id = ${id} and u.id <> ${viewer.id}
        and ${knowable(viewer)}`
  }
  const post = (of: Sql) => sql`
    select p.author_id from social.posts p
    join social.users u on u.tenant_id = p.tenant_id and u.id = p.author_id
    where p.tenant_id = ${tenant_id} and p.id = ${of} and ${visible(viewer)}`
  if (subject_type === 'post') return post(sql`${id}::uuid`)
  return sql`
    select c.author_id from social.comments c
    join social.users u on u.tenant_id = c.tenant_id and u.id = c.author_id
    where c.tenant_id = ${tenant_id} and c.id = ${id} and ${commentVisible(viewer)}
      and exists (${post(sql`c.post_id`)})`
}

async function openCase(
  tx: Tx,
  { tenant_id }: Person,
  { subject_type, subject_id, category }: Omit<NewReport, 'note'>,
  author_id: string,
): Promise<string> {
  const priority = priorities[category] ?? 1
  const { id, made } = await tx.one(
    Opened,
    sql`
      insert into social.moderation_cases as c (
        tenant_id, id, subject_type, subject_id, subject_author_id, category, priority)
      values (${tenant_id}, ${newId()}, ${subject_type}, ${subject_id}, ${author_id}, ${category},
        ${priority})
      on conflict (tenant_id, subject_type, subject_id) where state in ('open', 'in_review')
      do update set priority = greatest(c.priority, excluded.priority)
      returning id, xmax = 0 as made`,
  )
  if (made) {
    tx.emit({
      type: 'moderation_case.opened',
      tenant_id,
      aggregate_type: 'moderation_case',
      aggregate_id: id,
      aggregate_version: 1,
      data: { case_id: id, subject_type, subject_id },
    })
  }
  return id
}

/** The row of the case is locked, so that two reports of one person count once. */
async function addReport(
  tx: Tx,
  { tenant_id, id: reporter_id }: Person,
  case_id: string,
  category: string,
  note: string | null,
): Promise<Reported> {
  const { id: report_id, made } = await tx.one(
    Opened,
    sql`
      insert into social.moderation_reports as r (tenant_id, id, case_id, reporter_id, category, note)
      values (${tenant_id}, ${newId()}, ${case_id}, ${reporter_id}, ${category}, ${note})
      on conflict (tenant_id, case_id, reporter_id) do update set category = r.category
      returning id, xmax = 0 as made`,
  )
  if (made) {
    await tx.run(sql`
      update social.moderation_cases set report_count = report_count + 1
      where tenant_id = ${tenant_id} and id = ${case_id}`)
  }
  return { report_id, made }
}
