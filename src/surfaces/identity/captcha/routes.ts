/** The route that gives a browser a task before it sends a form. */
import { closed, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { problem } from '../errors.ts'
import { newWork, Purpose, Work } from './work.ts'

const { open, post } = routesOf<Deps>({ added: true })

export const captchaRoutes = open({
  createCaptchaChallenge: post(
    '/v1/captcha-challenges',
    'Get a task that slows down robots',
    {
      description:
        'In the format of ALTCHA. Find the number from 0 to `maxnumber` for which the SHA-256 of `salt` and the number is `challenge`. Send `algorithm`, `challenge`, `number`, `salt` and `signature` as JSON in base64, as `captcha` of the request. A task is solved once, for its purpose.',
      permission: 'public',
      transaction: 'own',
      body: closed({ purpose: Purpose }),
      reply: Work,
      fails: ['captcha_work_off'],
    },
    async ({ body }, { kernel }) => {
      // Where no captcha is required, a client that always solves one works too.
      if (kernel.settings['identity.captcha'] === 'siteverify') throw problem('captcha_work_off')
      return newWork(kernel, body.purpose, false)
    },
  ),
})
