/**
 * Asks those who may be robots for a captcha. The refusal says what to do next, with a task for the
 * browser where work is asked for. An answer counts once, over all processes: its hash is stored as
 * used before the request goes on. If the provider does not answer, the browser works instead; a task
 * for that is given only here and by the account pages, so that robots cannot choose it.
 */
import { Type, type Static } from 'typebox'
import { nullable, oneOf, Problem, sql, text, type Bucket, type Taken } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { hashOf } from '../one-time.ts'
import { endOfWork, newWork, solutionIn, type Purpose, type Work } from './work.ts'

/** Answers of widgets are up to some 5,000 characters. */
export const Answer = text(8192)

export const Captcha = Type.Object(
  { kind: oneOf('work', 'siteverify'), site_key: nullable(Type.String()) },
  { title: 'Captcha' },
)
type Captcha = Static<typeof Captcha>

type Needs = Pick<Deps, 'kernel' | 'siteVerify'>
type Asked = { readonly purpose: Purpose; readonly answer: string | undefined }

/** What a page shows to its visitors; null if no captcha is asked for. */
export function captchaOf({ kernel: { settings } }: Pick<Deps, 'kernel'>): Captcha | null {
  const kind = settings['identity.captcha']
  if (kind === 'siteverify') return { kind, site_key: settings['identity.captcha_site_key'] }
  return kind === 'work' ? { kind, site_key: null } : null
}

export async function requireCaptcha(deps: Needs, { purpose, answer }: Asked): Promise<void> {
  const { kernel } = deps
  const asked = captchaOf(deps)
  if (!asked) return
  if (answer === undefined) throw captchaRequired(deps, purpose)
  const instead = asked.kind === 'siteverify'
  const solution = solutionIn(answer)
  const end = solution && endOfWork(kernel, solution, { purpose, instead })
  if (!end) {
    if (!instead || solution) throw captchaRequired(deps, purpose, wrong)
    const verdict = await deps.siteVerify.ask(answer, purpose)
    if (verdict === 'silent') throw workInstead(deps, purpose)
    if (verdict === 'robot') throw captchaRequired(deps, purpose, wrong)
  }
  const expires = end ?? kernel.clock.nowSeconds() + 3600
  const stored = await kernel.db.run(sql`
    insert into identity.used_captchas (hash, expires_at)
    values (${hashOf(solution?.challenge ?? answer)}, to_timestamp(${expires}))
    on conflict (hash) do nothing`)
  if (stored === 0) throw captchaRequired(deps, purpose, wrong)
}

/** Takes from the buckets. Without an answer it also takes from the part that is free of captchas. */
export async function takeFree(
  deps: Needs,
  buckets: readonly Bucket[],
  { free, ...asked }: Asked & { readonly free: Bucket },
): Promise<Taken> {
  const { kernel } = deps
  const asks = captchaOf(deps) !== null && asked.answer === undefined
  const all = asks ? [...buckets, { ...free, refusal: 'quota_exceeded' } as const] : buckets
  const taken = await kernel.take(kernel.db, all).catch((error: unknown) => {
    const used_up = error instanceof Problem && error.code === 'quota_exceeded'
    throw used_up ? captchaRequired(deps, asked.purpose) : error
  })
  if (asked.answer === undefined) return taken
  try {
    await requireCaptcha(deps, asked)
    return taken
  } catch (error) {
    await taken.giveBack()
    throw error
  }
}

const wrong =
  'The answer to the captcha is wrong, has expired, was used before, or was for something else. Solve a new one.'

function captchaRequired(deps: Needs, purpose: Purpose, detail?: string): Problem {
  const asked = captchaOf(deps)
  const task = asked?.kind === 'work' ? { challenge: newWork(deps.kernel, purpose, false) } : {}
  const more = { captcha: { ...asked, ...task } }
  return problem('captcha_required', detail === undefined ? { more } : { detail, more })
}

function workInstead({ kernel }: Needs, purpose: Purpose): Problem {
  const challenge = newWork(kernel, purpose, true)
  return problem('captcha_required', {
    detail:
      'The provider of the captcha does not answer now. Solve the task of `captcha.challenge` instead, and send the answer.',
    more: {
      captcha: { kind: 'work', site_key: null, challenge } satisfies Captcha & { challenge: Work },
    },
  })
}
