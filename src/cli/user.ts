/**
 * Accounts on the command line, for operators. A new account gets a generated password, which is
 * printed once. A lost password is reset with a token, which is also printed once.
 */
import { encodeQR } from 'qr'
import { newSecret, StartError } from '#dodeca/kernel'
import { administering, default_tenant } from './administration.ts'
import type { Call, Command, Option } from './command.ts'
import { actor } from './offline.ts'
import { table } from './terminal.ts'

const shown_max = 1000
const password_bytes = 15

const tenant: Option = {
  type: 'string',
  value: '<slug>',
  says: `Its tenant; ${default_tenant} by default`,
}

export const userCreate: Command = {
  words: 'user create',
  surface: 'identity',
  takes: ['<email>'],
  summary: 'Create an account with a generated password, which is printed once',
  more: ['The address counts as verified.'],
  options: {
    tenant,
    roles: { type: 'string', value: '<role,…>', says: 'Roles that it holds in its tenant' },
    name: { type: 'string', value: '<name>', says: 'Its display name' },
  },
  run: async call => {
    const email = call.args[0] ?? ''
    const slug = call.option('tenant') ?? default_tenant
    const role_ids = (call.option('roles') ?? '').split(',').filter(one => one !== '')
    const password = newSecret(password_bytes)
    const about = { tenant: slug, account: email, role: role_ids.join(',') }
    const person = {
      tenant: slug,
      email,
      password,
      display_name: call.option('name')?.slice(0, 100) || null,
      role_ids,
    }
    const account = await administering(call, about, identity =>
      identity.createAccount(person, actor()),
    )
    if (!account) throw new StartError(`${email} has an account already.`)
    call.terminal.answer({ ...account, password }, [
      `The account ${account.email} was created in ${slug} (${account.id}).`,
      `Its password is ${password} and will not be shown again.`,
    ])
  },
}

export const userList: Command = {
  words: 'user list',
  surface: 'identity',
  summary: 'List accounts with their roles, newest first',
  options: {
    tenant: { ...tenant, says: 'Only of this tenant' },
    status: { type: 'string', value: 'active|disabled|invited', says: 'Only in this state' },
  },
  run: async call => {
    const filter = { tenant: call.option('tenant'), status: call.option('status') }
    const accounts = await administering(call, {}, identity => identity.accounts(filter, shown_max))
    const rows = accounts.map(one => [
      one.email,
      one.tenant,
      one.status,
      one.role_ids.join(' ') || null,
      one.id,
    ])
    const lines = table(['ADDRESS', 'TENANT', 'STATE', 'ROLES', 'ID'], rows)
    call.terminal.answer({ data: accounts }, lines.length > 0 ? lines : ['No accounts match.'])
  },
}

export const userGrant: Command = {
  words: 'user grant',
  surface: 'identity',
  takes: ['<email|id>', '<role>'],
  summary: 'Give an account a role in its tenant',
  options: { tenant },
  run: async call => {
    const { who, role } = named(call)
    const changed = await administering(call, { ...who, role }, identity =>
      identity.grant(who, role, actor()),
    )
    const said = changed ? 'has now' : 'had already'
    call.terminal.answer({ ...who, role, changed }, [`${who.account} ${said} the role ${role}.`])
  },
}

export const userRevoke: Command = {
  words: 'user revoke',
  surface: 'identity',
  takes: ['<email|id>', '<role>'],
  summary: 'Take a role from an account',
  options: { tenant },
  run: async call => {
    const { who, role } = named(call)
    const changed = await administering(call, { ...who, role }, identity =>
      identity.revoke(who, role, actor()),
    )
    const said = changed ? 'no longer has' : 'did not have'
    call.terminal.answer({ ...who, role, changed }, [`${who.account} ${said} the role ${role}.`])
  },
}

export const userDisable: Command = {
  words: 'user disable',
  surface: 'identity',
  takes: ['<email|id>'],
  summary: 'Disable an account and log it out everywhere',
  options: { tenant },
  run: async call => {
    const { who } = named(call)
    const account = await administering(call, who, identity =>
      identity.disableAccount(who, actor()),
    )
    call.terminal.answer(account, [`${who.account} is disabled and logged out everywhere.`])
  },
}

export const userResetPassword: Command = {
  words: 'user reset-password',
  surface: 'identity',
  takes: ['<email|id>'],
  summary: 'Print a token, once, with which a new password can be set',
  options: { tenant },
  run: async call => {
    const { who } = named(call)
    const reset = await administering(call, who, identity => identity.resetToken(who, actor()))
    call.terminal.answer(reset, [
      `With this token the password of ${who.account} can be set until ${reset.expires_at}. Give it to no one else:`,
      `  ${reset.token}`,
      `Open ${reset.link} and enter it, or send it to POST /v1/password-resets.`,
    ])
  },
}

export const userEnrolTotp: Command = {
  words: 'user enrol-totp',
  surface: 'identity',
  takes: ['<email|id>'],
  summary: 'Add an authenticator app, and print recovery codes once',
  more: [
    'It prints a QR code, and reads the code of the app from standard input.',
    'In production administrative permissions count only with a second factor.',
  ],
  options: {
    tenant,
    replace: { type: 'boolean', says: 'Replace the authenticator that the account has' },
  },
  run: async call => {
    const { who } = named(call)
    const { terminal } = call
    const codes = await administering(call, who, async identity => {
      const begun = await identity.enrolTotp(who, call.flag('replace'), actor())
      const { otpauth_uri, secret } = begun
      terminal.answer({ ...who, otpauth_uri }, [
        encodeQR(otpauth_uri, 'ascii', { border: 2, ecc: 'low' }),
        'Scan this with an authenticator app, or add this address to it:',
        `  ${otpauth_uri}`,
        `The key to type is ${secret}.`,
      ])
      return await terminal.ask('The code that the app shows now: ', async line => {
        const made = await begun.activate(line.replaceAll(/\s/g, ''))
        if (!made) terminal.progress('The code is wrong. Check the clock of the device.')
        return made ?? undefined
      })
    })
    if (!codes) throw new StartError('No right code was entered, so the account is as it was.')
    terminal.answer({ ...who, recovery_codes: codes }, [
      `${who.account} now logs in with the authenticator. Each of these codes replaces it once; they will not be shown again:`,
      ...codes.map(code => `  ${code}`),
    ])
  },
}

function named(call: Call) {
  const [account = '', role = ''] = call.args
  return { who: { tenant: call.option('tenant') ?? default_tenant, account }, role }
}
