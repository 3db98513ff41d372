/** The vendors that the sandbox plays, for its process and for tests that open it in theirs. */
import { anthropic } from './anthropic/anthropic.ts'
import { gemini } from './gemini/gemini.ts'
import { mail } from './mail/mail.ts'
import { openai } from './openai/openai.ts'
import { paypal } from './paypal/paypal.ts'
import { push } from './push/push.ts'
import { signIn } from './sign-in/sign-in.ts'
import { sms } from './sms/sms.ts'
import { stripe } from './stripe/stripe.ts'
import type { Vendor } from './vendor.ts'
import { webRisk } from './web-risk/web-risk.ts'

export const vendors: readonly Vendor[] = [
  mail,
  sms,
  push,
  webRisk,
  stripe,
  paypal,
  openai,
  anthropic,
  gemini,
  signIn,
]
