/** Reports, cases, decisions and appeals on the wire. */
import { Type, type Static } from 'typebox'
import { closed, count, Id, nullable, oneOf, text, Time, Version } from '#dodeca/kernel'
import { Author } from '../schemas.ts'

export const subject_types = ['post', 'comment', 'user'] as const
const categories = [
  'spam',
  'abuse',
  'hate',
  'sexual',
  'violence',
  'self_harm',
  'illegal',
  'other',
] as const
export const case_states = [
  'open',
  'in_review',
  'actioned',
  'dismissed',
  'appealed',
  'upheld',
  'reversed',
] as const
export const actions = [
  'assign',
  'dismiss',
  'remove',
  'restore',
  'suspend_user',
  'reinstate_user',
  'resolve_appeal',
] as const
export type CaseState = (typeof case_states)[number]
export type ActionName = (typeof actions)[number]
export type SubjectType = (typeof subject_types)[number]

const subject = { subject_type: oneOf(...subject_types), subject_id: Id }
const Reason = Type.String({ pattern: '^[a-z0-9][a-z0-9_.-]*$', minLength: 1, maxLength: 64 })
const outcome = oneOf('upheld', 'reversed')

export const NewReport = closed(
  { ...subject, category: oneOf(...categories), note: Type.Optional(text(1000)) },
  { title: 'NewReport' },
)
export type NewReport = Static<typeof NewReport>
export const Report = Type.Object({ report_id: Id }, { title: 'Report' })

const case_members = {
  id: Id,
  ...subject,
  state: oneOf(...case_states),
  category: oneOf(...categories),
  priority: count(1, 3),
  report_count: count(0, 2_147_483_647),
  assigned_to: nullable(Id),
  version: Version,
  created_at: Time,
  resolved_at: nullable(Time),
}
export const CaseSummary = Type.Object(case_members, { title: 'ModerationCaseSummary' })

export const Action = Type.Object(
  {
    id: Id,
    action: oneOf(...actions),
    outcome: nullable(outcome),
    reason_code: Reason,
    statement: Type.String({ maxLength: 2000 }),
    actor_id: Id,
    created_at: Time,
  },
  { title: 'ModerationAction' },
)
export type Action = Static<typeof Action>

export const Subject = Type.Object(
  {
    author: Author,
    body: nullable(Type.String({ maxLength: 40_000 })),
    moderation_state: Type.String({ maxLength: 20 }),
    created_at: Time,
  },
  { title: 'ModerationSubject' },
)
export type Subject = Static<typeof Subject>

export const reports_shown = 100
export const CaseReport = Type.Object(
  {
    id: Id,
    category: oneOf(...categories),
    note: nullable(Type.String({ maxLength: 8000 })),
    created_at: Time,
  },
  { title: 'ModerationReport' },
)

export const Case = Type.Object(
  {
    ...case_members,
    appeal_statement: nullable(Type.String({ maxLength: 2000 })),
    subject: nullable(Subject),
    actions: Type.Array(Action),
    reports: Type.Array(CaseReport, { maxItems: reports_shown }),
  },
  { title: 'ModerationCase' },
)
export type Case = Static<typeof Case>

export const NewAction = closed(
  {
    action: oneOf(...actions),
    outcome: Type.Optional(outcome),
    reason_code: Reason,
    statement: text(2000),
    version: Version,
  },
  { title: 'NewModerationAction' },
)
export type NewAction = Static<typeof NewAction>

export const NewAppeal = closed({ statement: text(2000) }, { title: 'NewAppeal' })
export const Appeal = Type.Object(
  { case_id: Id, state: oneOf(...case_states), statement: Type.String({ maxLength: 2000 }) },
  { title: 'Appeal' },
)

export const Decision = Type.Object(
  {
    case_id: Id,
    ...subject,
    action: oneOf(...actions),
    outcome: nullable(outcome),
    reason_code: Reason,
    statement: Type.String({ maxLength: 2000 }),
    created_at: Time,
    appeal_until: nullable(Time),
  },
  { title: 'Decision' },
)
