/**
 * Logs in. Each way has its own file, checks its own proof and ends in `begin`, which asks for the
 * second factor and begins the session.
 */
import { Type, type Static } from 'typebox'
import { Id, text } from '#dodeca/kernel'
import { Answer } from '../captcha/require-captcha.ts'
import type { Deps } from '../deps.ts'
import { Code as LoginCode } from '../login-codes/codes.ts'
import { Assertion } from '../mfa/schemas.ts'
import { redeemTicket } from '../oidc/use-ticket.ts'
import { Delivery, DeviceName, Email, OneTimeToken, Slug } from '../schemas.ts'
import type { Seen } from '../security-events/record-security-event.ts'
import { begin, type LoggedIn } from './begin-session.ts'
import { logInAnonymously } from './log-in-anonymously.ts'
import { logInWithCode } from './log-in-with-code.ts'
import { logInWithPasskey } from './log-in-with-passkey.ts'
import { logInWithPassword } from './log-in-with-password.ts'

const MailedCode = Type.Object(
  {
    id: Id,
    code: Type.Optional(LoginCode),
    token: Type.Optional(OneTimeToken),
  },
  {
    additionalProperties: false,
    oneOf: [{ required: ['code'] }, { required: ['token'] }],
  },
)

export const LogIn = Type.Object(
  {
    email: Type.Optional(Email),
    password: Type.Optional(text(1024)),
    tenant: Type.Optional(Slug),
    oidc_ticket: Type.Optional(OneTimeToken),
    passkey: Type.Optional(Assertion),
    login_code: Type.Optional(MailedCode),
    anonymous: Type.Optional(Type.Literal(true)),
    captcha: Type.Optional(Answer),
    device_name: Type.Optional(DeviceName),
    device_token: Type.Optional(text(300)),
    delivery: Type.Optional(Delivery),
  },
  {
    additionalProperties: false,
    oneOf: [
      { required: ['email', 'password'] },
      { required: ['oidc_ticket'], properties: { login_code: { not: {} } } },
      { required: ['passkey'] },
      { required: ['login_code'] },
      { required: ['anonymous'] },
    ],
  },
)
export type LogIn = Static<typeof LogIn>

export async function logIn(deps: Deps, body: LogIn, seen: Seen): Promise<LoggedIn> {
  const { oidc_ticket, passkey, login_code, email = '', password = '' } = body
  if (passkey !== undefined) return await logInWithPasskey(deps, passkey, body, seen)
  if (body.anonymous) return await logInAnonymously(deps, body, seen)
  if (login_code !== undefined) return await logInWithCode(deps, login_code, body, seen)
  if (oidc_ticket === undefined) {
    return await logInWithPassword(deps, { ...body, email, password }, seen)
  }
  return await deps.kernel.db.tx(async tx => {
    const redeemed = await redeemTicket(tx, deps, oidc_ticket, seen)
    return begin(tx, deps, redeemed, body, seen)
  })
}
