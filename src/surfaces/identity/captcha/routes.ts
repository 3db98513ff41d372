/** The route that gives a browser a task before it sends a form. */
import { closed, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
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
    },
    // Where no captcha is required, a client that always solves one works too.
    ({ body }, { kernel }) => Promise.resolve(newWork(kernel, body.purpose)),
  ),
})
