/** All routes of identity: each folder declares its own. Every reply but the JWKS is `no-store`. */
import type { Route } from '#dodeca/kernel'
import { accountRoutes } from './accounts/routes.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { captchaRoutes } from './captcha/routes.ts'
import { clientRoutes } from './clients/routes.ts'
import type { Deps } from './deps.ts'
import { domainRoutes } from './domains/routes.ts'
import { connectionRoutes } from './connections/routes.ts'
import { emailChangeRoutes } from './email-changes/routes.ts'
import { invitationRoutes } from './invitations/routes.ts'
import { loginCodeRoutes } from './login-codes/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import { meRoutes } from './me/routes.ts'
import { memberRoutes } from './members/routes.ts'
import { challengeRoutes } from './mfa/challenges/routes.ts'
import { methodRoutes } from './mfa/methods/routes.ts'
import { resetRoutes } from './mfa/resets/routes.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { oidcRoutes } from './oidc/routes.ts'
import { organizationRoutes } from './organizations/routes.ts'
import { accountPageRoutes } from './pages/routes.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { passwordRoutes } from './passwords/routes.ts'
import { registrationRoutes } from './registrations/routes.ts'
import { roleRoutes } from './roles/routes.ts'
import { securityRoutes } from './security-events/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { tenantRoutes } from './tenants/routes.ts'

export function routes(deps: Deps): readonly Route[] {
  const body_limit_bytes = deps.kernel.settings['identity.body_limit_bytes']
  return [
    ...registrationRoutes(deps),
    ...meRoutes(deps),
    ...emailChangeRoutes(deps),
    ...accountRoutes(deps),
    ...sessionRoutes(deps),
    ...passkeyRoutes(deps),
    ...loginCodeRoutes(deps),
    ...captchaRoutes(deps),
    ...passwordRoutes(deps),
    ...challengeRoutes(deps),
    ...methodRoutes(deps),
    ...resetRoutes(deps),
    ...oidcRoutes(deps),
    ...oauthRoutes(deps),
    ...connectionRoutes(deps),
    ...clientRoutes(deps),
    ...roleRoutes(deps),
    ...apiKeyRoutes(deps),
    ...tenantRoutes(deps),
    ...organizationRoutes(deps),
    ...memberRoutes(deps),
    ...invitationRoutes(deps),
    ...domainRoutes(deps),
    ...securityRoutes(deps),
    ...keyRoutes(deps),
    ...accountPageRoutes(deps),
    // Models get nothing that is about credentials, roles or keys, unless a route says so itself.
    // No reply with a token or with data of a second factor is stored. Repeats are decided from the
    // current state. Routes that create something else say so themselves.
  ].map(one => ({
    body_limit_bytes,
    idempotency: 'ignored' as const,
    tool: 'never' as const,
    ...one,
  }))
}
