/** The route by which an endpoint is verified. */
import { reply, routesOf } from '#dodeca/kernel'
import type { Deps } from '../deps.ts'
import { Verified, Verify } from '../schemas.ts'
import { verify } from './verify.ts'

const { open, post } = routesOf<Deps>({
  absent: 'subscription_not_found',
  permission: 'webhooks.subscriptions.write',
})

export const verificationRoutes = open({
  verifyWebhookSubscription: post(
    '/v1/webhook-subscriptions/{id}/verify',
    'Verify an endpoint: send it a new challenge, or submit the challenge that it received',
    {
      sends: ['location'],
      transaction: 'own',
      // A repeat sends another challenge, and only the last one counts.
      idempotency: 'ignored',
      body: Verify,
      body_optional: true,
      replies: { 200: Verified, 202: Verified },
      fails: ['invalid_transition', 'verification_expired', 'verification_failed'],
    },
    async ({ db, params: { id }, principal, body, request }, deps) => {
      const at = { id, tenant_id: principal.tenant_id }
      const given = (body as Partial<typeof body> | undefined)?.challenge // the body is optional
      const state = await verify(db, deps, at, given, request.stopping)
      if (state === 'active') return reply(200, { id, state })
      return reply(202, { id, state }, { location: `/v1/webhook-subscriptions/${id}` })
    },
  ),
})
