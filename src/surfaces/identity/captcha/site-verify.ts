/**
 * Verifies the answer of a widget at its provider, in the format that Turnstile, hCaptcha and
 * reCAPTCHA share. The provider says for which site the widget was solved: an answer that was solved
 * on another one is refused, because its visitor did not want to come here. In development without
 * an address the sandbox answers.
 */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { openOutsideWorld, openUpstream, type Upstream } from '#dodeca/kernel'
import type { Kernel } from '../settings.ts'
import type { Purpose } from './work.ts'

const Said = Type.Object({
  success: Type.Boolean(),
  hostname: Type.Optional(Type.String()),
  action: Type.Optional(Type.String()),
  'error-codes': Type.Optional(Type.Array(Type.String())),
})

/** `silent`: no answer that can be read, so nothing is known about the visitor. */
export type Verdict = 'person' | 'robot' | 'silent'

export type SiteVerify = {
  ask(response: string, purpose: Purpose): Promise<Verdict>
  close(): Promise<void>
}

const deadline_ms = 5000

export function openSiteVerify(
  kernel: Pick<Kernel, 'settings' | 'data_dir' | 'profile' | 'public_url' | 'log'>,
): SiteVerify {
  const { settings, profile, log } = kernel
  const hosts = [new URL(kernel.public_url).hostname, ...settings['identity.captcha_hosts']]
  const outside = openOutsideWorld(kernel.data_dir)
  let open: { readonly url: string; readonly line: Upstream } | undefined
  const line = async () => {
    const played = profile === 'development' && !settings['identity.captcha_url']
    const sandbox = played ? (await outside.addresses())?.['sign_in'] : undefined
    const url = new URL(settings['identity.captcha_url'] ?? sandbox?.['captcha'] ?? '')
    if (open?.url !== url.href) {
      await open?.line.close()
      const options = { name: 'captcha', base_url: url.origin, attempt_timeout_ms: 3000 }
      open = { url: url.href, line: openUpstream(options) }
    }
    return {
      url,
      line: open.line,
      secret: settings['identity.captcha_secret'] ?? sandbox?.['client_secret'] ?? '',
    }
  }
  return {
    ask: async (response, purpose) => {
      try {
        const { url, line: provider, secret } = await line()
        const answer = await provider.call({
          method: 'POST',
          path: url.pathname + url.search,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          // Nothing about the visitor: the widget has shown them to the provider already.
          body: new URLSearchParams({ secret, response }).toString(),
          // An answer is used up by the first call that arrives.
          idempotent: false,
          deadline_ms,
        })
        const said: unknown = JSON.parse(answer.body.toString())
        if (answer.status !== 200 || !Value.Check(Said, said)) return 'silent'
        const { success, hostname, action = '', 'error-codes': codes = [] } = said
        // Our secret is wrong, which says nothing about the visitor.
        if (codes.some(code => code.endsWith('input-secret'))) throw new Error(codes.join())
        const here = hosts.includes(hostname ?? '') && (action === '' || action === purpose)
        return success && here ? 'person' : 'robot'
      } catch (error) {
        log.warn({ err: error }, 'the captcha provider did not answer')
        return 'silent'
      }
    },
    close: async () => open?.line.close(),
  }
}
