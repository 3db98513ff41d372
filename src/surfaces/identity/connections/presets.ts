/**
 * What is the same for everybody who logs people in at a known provider. A connection, or the
 * sandbox, gives the rest, and may replace the addresses (GitHub Enterprise has its own).
 */
export type Endpoints = {
  readonly authorization: string
  readonly token: string
  readonly userinfo: string
  /** Of addresses with a mark that says which are verified, where `userinfo` does not tell. */
  readonly emails?: string
}

/** The members of `userinfo`. */
export type FieldNames = {
  readonly subject: string
  readonly email?: string
  readonly email_verified?: string
  readonly name?: string
}

type Common = {
  readonly title: string
  readonly scopes: readonly string[]
}
type OidcPreset = Common & {
  readonly kind: 'oidc'
  readonly issuer: string
  /** It leads back with a form, and makes its client secret from a key. */
  readonly apple?: true
}
type OAuth2Preset = Common & {
  readonly kind: 'oauth2'
  readonly endpoints: Endpoints
  readonly fields: FieldNames
  /** Whether it checks PKCE. */
  readonly pkce: boolean
}
export type Preset = OidcPreset | OAuth2Preset

export const preset_names = ['apple', 'discord', 'facebook', 'github', 'google'] as const
export type PresetName = (typeof preset_names)[number]

const github = 'https://github.com/login/oauth'
const facebook = 'https://graph.facebook.com/v25.0'
const discord = 'https://discord.com/api'

export const presets: Readonly<Record<PresetName, Preset>> = {
  apple: {
    kind: 'oidc',
    title: 'Apple',
    issuer: 'https://appleid.apple.com',
    scopes: ['openid', 'name', 'email'],
    apple: true,
  },
  discord: {
    kind: 'oauth2',
    title: 'Discord',
    endpoints: {
      authorization: 'https://discord.com/oauth2/authorize',
      token: `${discord}/oauth2/token`,
      userinfo: `${discord}/users/@me`,
    },
    scopes: ['identify', 'email'],
    fields: { subject: 'id', email: 'email', email_verified: 'verified', name: 'global_name' },
    pkce: true,
  },
  facebook: {
    kind: 'oauth2',
    title: 'Facebook',
    endpoints: {
      authorization: 'https://www.facebook.com/v25.0/dialog/oauth',
      token: `${facebook}/oauth/access_token`,
      userinfo: `${facebook}/me?fields=id,name,email`,
    },
    scopes: ['public_profile', 'email'],
    // It does not say whether an address is verified, so none counts as proven.
    fields: { subject: 'id', email: 'email', name: 'name' },
    pkce: false,
  },
  github: {
    kind: 'oauth2',
    title: 'GitHub',
    endpoints: {
      authorization: `${github}/authorize`,
      token: `${github}/access_token`,
      userinfo: 'https://api.github.com/user',
      emails: 'https://api.github.com/user/emails',
    },
    scopes: ['read:user', 'user:email'],
    // The address of `userinfo` is the public one, which need not be verified.
    fields: { subject: 'id', name: 'name' },
    pkce: true,
  },
  google: {
    kind: 'oidc',
    title: 'Google',
    issuer: 'https://accounts.google.com',
    scopes: ['openid', 'email', 'profile'],
  },
}
