/**
 * Decides on a case. An action changes a state that every read checks, so it has effect
 * immediately.
 */
import { Type, type Static } from 'typebox'
import { expectVersion, lacks, newId, preconditionFailed, sql, type Tx } from '#dodeca/kernel'
import { count } from '../counters/count.ts'
import type { Person } from '../deps.ts'
import { problem } from '../errors.ts'
import { announcePost } from '../events.ts'
import { requireText } from '../text.ts'
import { nextState } from './next-state.ts'
import { Action, type CaseState, type NewAction, type SubjectType } from './schemas.ts'

const acts = 'social.moderation_cases.act'
const decides = 'social.moderation_appeals.decide'

const Locked = Type.Object({
  subject_type: Type.Unsafe<SubjectType>({ type: 'string' }),
  subject_id: Type.String(),
  subject_author_id: Type.String(),
  state: Type.Unsafe<CaseState>({ type: 'string' }),
  version: Type.Integer(),
  reported: Type.Boolean(),
  acted: Type.Boolean(),
})
type Locked = Static<typeof Locked>

export async function act(
  tx: Tx,
  actor: Person,
  case_id: string,
  given: NewAction & { readonly if_match: string | string[] | undefined },
  grants: ReadonlySet<string>,
): Promise<Action> {
  const { action, outcome, reason_code, version, if_match } = given
  const needed = action === 'resolve_appeal' ? decides : acts
  if (!grants.has(needed)) throw lacks(needed)
  const statement = requireText(given.statement, 'statement', { graphemes: 2000, bytes: 8000 })
  const before = await lockCase(tx, actor, case_id)
  requireImpartial(actor, before, given)
  expectVersion(if_match, before.version)
  if (version !== before.version) throw preconditionFailed(before.version)
  if ((action === 'resolve_appeal') !== (outcome !== undefined)) {
    throw problem('validation_failed', {
      detail: '`outcome` belongs to `resolve_appeal`, which needs it.',
      errors: [{ location: 'body', pointer: '/outcome', constraint: 'required' }],
    })
  }
  const state = nextState({ ...before, action, outcome })
  if (!state) {
    throw problem('invalid_transition', {
      current_state: before.state,
      detail: `A case about a ${before.subject_type} that is ${before.state} does not allow ${action}.`,
    })
  }
  await moveCase(tx, actor, case_id, state, action)
  const { tenant_id, id: actor_id } = actor
  const effect = effectOf(state, action)
  if (effect) await applyTo(tx, tenant_id, before, effect)
  tx.audit(`social.moderation.${action}`, case_id, { reason: reason_code })
  if (effect) announceEffect(tx, tenant_id, case_id, before, action, effect)
  return await tx.one(
    Action,
    sql`
      insert into social.moderation_actions (
        tenant_id, id, case_id, action, outcome, reason_code, statement, actor_id)
      values (${tenant_id}, ${newId()}, ${case_id}, ${action}, ${outcome ?? null}, ${reason_code},
        ${statement}, ${actor_id})
      returning id, action, outcome, reason_code, statement, actor_id, created_at`,
  )
}

async function lockCase(tx: Tx, { tenant_id, id }: Person, case_id: string): Promise<Locked> {
  const found = await tx.maybe(
    Locked,
    sql`
      select c.subject_type, c.subject_id, c.subject_author_id, c.state, c.version,
        exists (select from social.moderation_reports r where r.tenant_id = ${tenant_id}
          and r.case_id = c.id and r.reporter_id = ${id}) as reported,
        exists (select from social.moderation_actions a where a.tenant_id = ${tenant_id}
          and a.case_id = c.id and a.actor_id = ${id}
          and a.action in ('remove', 'suspend_user')) as acted
      from social.moderation_cases c
      where c.tenant_id = ${tenant_id} and c.id = ${case_id} for no key update`,
  )
  if (!found) throw problem('moderation_case_not_found')
  return found
}

function requireImpartial(
  actor: Person,
  { subject_author_id, reported, acted }: Locked,
  { action }: NewAction,
): void {
  if (subject_author_id === actor.id || reported) {
    throw problem('permission_denied', {
      detail:
        'A case must be decided by a person whom it does not concern and who did not report it.',
    })
  }
  if (action === 'resolve_appeal' && acted) {
    throw problem('same_reviewer', {
      detail: 'You took the action that is appealed. Ask another moderator to decide.',
    })
  }
}

async function moveCase(
  tx: Tx,
  { tenant_id, id }: Person,
  case_id: string,
  state: CaseState,
  action: string,
): Promise<void> {
  await tx.run(sql`
    update social.moderation_cases
    set state = ${state}, version = version + 1,
      assigned_to = case when ${action === 'assign'} then ${id}::uuid else assigned_to end,
      resolved_at = case when ${state === 'in_review'} then null else kernel.now() end
    where tenant_id = ${tenant_id} and id = ${case_id}`)
}

type Effect = 'applied' | 'reversed'

function effectOf(state: CaseState, action: string): Effect | undefined {
  if (action === 'remove' || action === 'suspend_user') return 'applied'
  return state === 'reversed' ? 'reversed' : undefined
}

const Changed = Type.Object({
  id: Type.String(),
  author_id: Type.String(),
  visibility: Type.String(),
  version: Type.Integer(),
  at: Type.String(),
})

const Counted = Type.Object({ post_id: Type.String() })

const tables = { post: 'posts', comment: 'comments', user: 'users' } as const

/**
 * The subject is locked first, so that of two of its cases that are decided at the same time the
 * second sees the first. A subject that was deleted meanwhile stays deleted.
 */
async function applyTo(tx: Tx, tenant_id: string, subject: Locked, effect: Effect): Promise<void> {
  const { subject_type, subject_id } = subject
  await tx.run(sql`
    select from social.${sql.id(tables[subject_type])}
    where tenant_id = ${tenant_id} and id = ${subject_id} for no key update`)
  if (effect === 'reversed' && (await isHeld(tx, tenant_id, subject))) return
  const removed = effect === 'applied' ? 'removed' : 'none'
  if (subject_type === 'post') {
    const post = await tx.maybe(
      Changed,
      sql`
        update social.posts set moderation_state = ${removed}, version = version + 1
        where tenant_id = ${tenant_id} and id = ${subject_id} and deleted_at is null
        returning id, author_id, visibility, version, kernel.now() as at`,
    )
    if (post) announcePost(tx, 'post.updated', { tenant_id, ...post })
  } else if (subject_type === 'comment') {
    const comment = await tx.maybe(
      Counted,
      sql`
        update social.comments set moderation_state = ${removed}
        where tenant_id = ${tenant_id} and id = ${subject_id} and deleted_at is null
          and moderation_state <> ${removed}
        returning post_id`,
    )
    if (comment) {
      const counter = { subject_type: 'post', kind: 'comments' } as const
      const delta = effect === 'applied' ? -1 : 1
      await count(tx, tenant_id, [{ ...counter, subject_id: comment.post_id, delta }])
    }
  } else {
    await tx.run(sql`
      update social.users
      set moderation_state = ${effect === 'applied' ? 'suspended' : 'active'}
      where tenant_id = ${tenant_id} and id = ${subject_id}`)
  }
}

const Held = Type.Object({ it: Type.Boolean() })

/** Whether the action of another case about the same subject stands. */
async function isHeld(
  tx: Tx,
  tenant_id: string,
  { subject_type, subject_id, subject_author_id }: Locked,
): Promise<boolean> {
  const { it } = await tx.one(
    Held,
    sql`
      select exists (select from social.moderation_cases c
        where c.tenant_id = ${tenant_id} and c.subject_author_id = ${subject_author_id}
          and c.subject_type = ${subject_type} and c.subject_id = ${subject_id}
          and c.state in ('actioned', 'appealed', 'upheld')) as it`,
  )
  return it
}

function announceEffect(
  tx: Tx,
  tenant_id: string,
  case_id: string,
  { subject_type, subject_id, version: before }: Locked,
  action: string,
  effect: Effect,
): void {
  const version = before + 1
  tx.emit({
    type: `moderation_action.${effect}`,
    tenant_id,
    aggregate_type: 'moderation_case',
    aggregate_id: case_id,
    aggregate_version: version,
    data: { case_id, subject_type, subject_id, action, version },
  })
}
