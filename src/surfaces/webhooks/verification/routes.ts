/** The route by which an endpoint is verified. */
import { reply, route, type Route } from '../../../kernel/http/route.ts'
import type { Deps } from '../deps.ts'
import { Verified, Verify } from '../schemas.ts'
import { verify } from './verify.ts'

export function verificationRoutes(deps: Deps): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/webhook-subscriptions/{id}/verify',
      name: 'verifyWebhookSubscription',
      summary:
        'Verify an endpoint: send it a new challenge, or submit the challenge that it received',
      sends: ['location'],
      permission: 'webhooks.subscriptions.write',
      transaction: 'own',
      idempotency: 'ignored',
      absent: 'subscription_not_found',
      body: Verify,
      body_optional: true,
      replies: { 200: Verified, 202: Verified },
      fails: [
        'subscription_not_found',
        'invalid_transition',
        'verification_expired',
        'verification_failed',
      ],
      handle: async ({ db, params: { id }, principal, body, request }) => {
        const at = { id, tenant_id: principal.tenant_id }
        const given = (body as Partial<typeof body> | undefined)?.challenge // the body is optional
        const state = await verify(db, deps, at, given, request.stopping)
        if (state === 'active') return reply(200, { id, state })
        return reply(202, { id, state }, { location: `/v1/webhook-subscriptions/${id}` })
      },
    }),
  ]
}
