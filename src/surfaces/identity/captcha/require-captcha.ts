/**
 * Asks those who may be robots for a captcha. The refusal says what to do next, with a task for the
 * browser. An answer counts once, over all processes: its hash is stored as used before the request
 * goes on.
 */
import { Type, type Static } from 'typebox'
import { Problem, sql, text, type Bucket, type Taken } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { hashOf } from '../one-time.ts'
import { endOfWork, newWork, solutionIn, type Purpose } from './work.ts'

/** A solution as JSON in base64. */
export const Answer = text(1000)

export const Captcha = Type.Object({ kind: Type.Literal('work') }, { title: 'Captcha' })
type Captcha = Static<typeof Captcha>

type Needs = Pick<Deps, 'kernel'>
type Asked = { readonly purpose: Purpose; readonly answer: string | undefined }

/** What a page shows to its visitors; null if no captcha is asked for. */
export function captchaOf({ kernel }: Needs): Captcha | null {
  return kernel.settings['identity.captcha'] === 'work' ? { kind: 'work' } : null
}

export async function requireCaptcha(deps: Needs, { purpose, answer }: Asked): Promise<void> {
  const { kernel } = deps
  if (!captchaOf(deps)) return
  if (answer === undefined) throw captchaRequired(deps, purpose)
  const solution = solutionIn(answer)
  const end = solution && endOfWork(kernel, solution, purpose)
  if (!end) throw captchaRequired(deps, purpose, wrong)
  const stored = await kernel.db.run(sql`
    insert into identity.used_captchas (hash, expires_at)
    values (${hashOf(solution.challenge)}, to_timestamp(${end}))
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
  const more = { captcha: { kind: 'work', challenge: newWork(deps.kernel, purpose) } }
  return problem('captcha_required', detail === undefined ? { more } : { detail, more })
}
