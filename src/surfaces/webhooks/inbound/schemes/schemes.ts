/** The six schemes, by name. */
import type { SchemeName } from '../schemas.ts'
import { genericHmac } from './generic-hmac.ts'
import { github } from './github.ts'
import type { Scheme } from './scheme.ts'
import { slack } from './slack.ts'
import { standard } from './standard.ts'
import { stripe } from './stripe.ts'
import { twilio } from './twilio.ts'

export const schemes: Readonly<Record<SchemeName, Scheme>> = {
  stripe,
  github,
  slack,
  twilio,
  standard,
  generic_hmac: genericHmac,
}
