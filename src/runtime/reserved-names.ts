/**
 * Names that an application cannot give to its own things, because the platform has them or will
 * have them: two things of one name could not be distinguished. Only a major version adds to them. A
 * test compares them with the platform's routes, events and settings.
 */
import { surface_names } from './surface-names.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Surfaces, schemas of PostgreSQL, and first words of variables. */
const surfaces = words(`
  admin agents api app apps argon console cron data database dev docs dodeca events guests
  host http information kernel log malloc meta node npm otel pg platform port postgres
  processes profile public roles rules runtime sandbox smtp steps surface system test
  testing tools trust tz worker workflows
  ${surface_names.join(' ')}`)

/** The first words of event types, such as `order` of `order.placed`. */
const nouns = words(`
  account answer api_key cart checkout client comment connection connector conversation
  customer dispute document domain event event_type external_identity file follow guest
  identity_mail inbound_receipt index inference invitation job job_rule job_schedule
  job_signal job_step job_type kernel link message mfa_method model_deployment model_provider
  moderation_action moderation_case notification notification_batch notification_provider
  order organization_domain password payment payment_account payment_method payment_request payout post price product profile
  reconciliation_item refresh_token refund return role rule session settlement share
  signing_key suppression tenant upload user webhook_delivery webhook_subscription
  workflow`)

/** What follows `/v1/` in paths. */
const segments = words(`
  accounts anonymous-requests answers api-keys attachments audit-events captcha-challenges carts chat checkouts
  clients collections comments commerce connections connectors conversations customers deprecations
  devices discounts disputes documents domains email-changes email-verification-requests
  email-verifications embedding-profiles embeddings event-consumers event-parks event-types events
  factor-resets feed files generations guests handles inbound inbound-receipts
  inbound-sources inbox inference-jobs inferences ingestion-jobs inventory invitations
  job-attempts job-batches job-redrives job-rules job-schedules job-stats job-types jobs
  ledger limits link-blocklist link-reports link-stats links login-codes login-options me
  matches messages mfa model-prices model-providers models moderation notification-categories notification-push-key
  notification-templates notifications oauth oidc orders organization organizations
  passkey-options password-changes password-reset-requests password-resets payment-accounts payment-intents
  payment-methods payment-options payment-requests
  posts price-versions product-collections products providers public quotas realtime-token
  reconciliation-items reconciliation-runs refunds registrations reports requests responses returns
  roles rules search security-events sessions settlements shares shipments
  shipping-methods signing-keys suppressions tax-rules tenants unsubscribe uploads usage
  users webhook-deliveries webhook-event-types webhook-events webhook-subscriptions
  workers workflows`)

export const reserved = { surfaces, nouns, segments } as const

type Named = { readonly name: string; readonly events: Readonly<Record<string, unknown>> }

/** A sentence for each name of a surface of an application that it cannot have. */
export function nameFaults({ name, events }: Named): string[] {
  if (!/^[a-z]{2,24}$/.test(name)) {
    return [`A surface cannot be called ${name}: its name has 2 to 24 small letters.`]
  }
  if (surfaces.has(name)) {
    return [`A surface cannot be called ${name}, because that name is reserved. Choose another.`]
  }
  return Object.keys(events)
    .filter(type => nouns.has(type.split('.')[0] ?? ''))
    .map(type => `The surface ${name} cannot declare ${type}: events of this noun are reserved.`)
}

/** The same for the paths of its routes, which are known once it is open. */
export function pathFaults(name: string, paths: readonly string[]): string[] {
  return paths.flatMap(path => {
    const [, version, segment = ''] = path.split('/')
    if (version !== 'v1') return [`The surface ${name} has the path ${path}. It must be in /v1/.`]
    if (!segments.has(segment.split(':')[0] ?? '')) return []
    return [`The surface ${name} cannot have the path ${path}, because /v1/${segment} is reserved.`]
  })
}
