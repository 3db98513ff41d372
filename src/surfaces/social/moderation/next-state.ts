/**
 * The life of a case. It opens with the first report and is decided once: dismissed, or actioned (a post or
 * comment is removed, a user suspended). The affected person may appeal an action once; another person than
 * who took it upholds or reverses it. The moderator who acted may also take the action back before an appeal.
 *
 *   open, in_review --assign-----------------------> in_review
 *   open, in_review --dismiss----------------------> dismissed
 *   open, in_review --remove, suspend_user---------> actioned
 *   actioned        --restore, reinstate_user------> reversed
 *   actioned        --appeal-----------------------> appealed
 *   appealed        --resolve_appeal---------------> upheld or reversed
 */
import type { ActionName, CaseState, SubjectType } from './schemas.ts'

export type Step = {
  readonly state: CaseState
  readonly subject_type: SubjectType
  readonly action: ActionName
  readonly outcome: 'upheld' | 'reversed' | undefined
}

/** Returns undefined if the state does not permit the action. */
export function nextState({ state, subject_type, action, outcome }: Step): CaseState | undefined {
  const undecided = state === 'open' || state === 'in_review'
  const user = subject_type === 'user'
  if (action === 'assign') return undecided ? 'in_review' : undefined
  if (action === 'dismiss') return undecided ? 'dismissed' : undefined
  if (action === 'remove') return undecided && !user ? 'actioned' : undefined
  if (action === 'suspend_user') return undecided && user ? 'actioned' : undefined
  if (action === 'restore') return state === 'actioned' && !user ? 'reversed' : undefined
  if (action === 'reinstate_user') return state === 'actioned' && user ? 'reversed' : undefined
  return state === 'appealed' ? outcome : undefined
}
